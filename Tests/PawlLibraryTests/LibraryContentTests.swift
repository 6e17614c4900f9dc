import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Contract: "create directory / file, write, read, size, delete, exists", "size of the cache,
/// clearing it", by key.
@Suite(.timeLimit(.minutes(5)))
struct LibraryContentTests {
    private struct Release: Decodable, Equatable {
        var name: String
    }

    @Test func `a file is read as data, text and JSON, up to a limit`() async throws {
        let text = #"{"name": "é"}"#
        let scene = try ShelfScene(
            .resource(Resource(text: text)).setting("Content-Type", "application/json")
        )
        let library = try await scene.open()
        let file = try await library.file(for: "release", from: try scene.url())
        #expect(file.mediaType == "application/json")
        #expect(try await library.string(of: "release") == text)
        #expect(try await library.json(Release.self, of: "release") == Release(name: "é"))
        #expect(try await library.data(of: "release").count == text.utf8.count)
        #expect(try await library.contents(of: "release").mediaType == "application/json")
        let long = await #expect(throws: DownloadError.self) {
            try await library.data(of: "release", limit: 5)
        }
        #expect(long?.code == .fileUnreadable)
        let none = await #expect(throws: DownloadError.self) { try await library.data(of: "none") }
        #expect(none?.code == .fileUnreadable)
    }

    @Test func `bytes that a program writes have a key, too`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        let file = try await library.write([1, 2, 3], for: "mine", named: "mine.bin")
        #expect(file.source == "")
        #expect(try await library.data(of: "mine").elementsEqual([1, 2, 3]))
        #expect(try await library.write([4], for: "mine").path == file.path)
        #expect(try await library.size(of: "mine") == 1)
        #expect(try await library.verify().intact == ["mine"])
        await library.close()
        let next = try await scene.open()
        #expect(try await next.file(for: "mine").byteCount == 1)
        #expect(try await next.delete("mine"))
        #expect(try await !next.delete("mine"))
        #expect(!next.exists("mine"))
        #expect(try await next.size(of: "mine") == nil)
        #expect(scene.folder.list() == [])
    }

    @Test func `the folder's files are available by name`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        #expect(try await library.folder.createDirectory("notes"))
        try await library.folder.write([1, 2], to: "notes/a")
        #expect(try await library.folder.exists("notes/a"))
        #expect(try await library.folder.size(of: "notes/a") == 2)
        #expect(try await library.folder.read("notes/a") == [1, 2])
        #expect(try await library.folder.delete("notes"))
        #expect(library.folder.path == scene.folder.path)
    }

    @Test func `sizes are exact, per key and in total, even for unfinished files`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        for (name, size) in [("a", 1000), ("b", 2500)] as [(String, Int64)] {
            scene.origin.route("/\(name)", .resource(Resource(size: size)))
            _ = try await library.file(for: StorageKey(name), from: try scene.url("/\(name)"))
        }
        _ = try await scene.hold(library, of: Resource(size: 1 << 20))
        library.pause("disk")
        await library.waits(for: "disk") { $0?.isPaused == true }
        #expect(try await library.sizes() == ["a": 1000, "b": 2500, "disk": 400_000])
        #expect(try await library.size() == 403_500)
        #expect(try await library.size(of: "b") == 2500)
    }

    @Test func `cleaning goes by key, age and total size, least recently used first`() async throws
    {
        let scene = try ShelfScene()
        let library = try await scene.open()
        let now = time(nil)
        for name in ["a", "b", "c", "d"] {
            scene.origin.route("/\(name)", .resource(Resource(size: 1000)))
            let file = try await library.file(
                for: StorageKey(name),
                from: try scene.url("/\(name)")
            )
            // Each is a day old.
            let day = timespec(tv_sec: now - 86_400, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, file.path, [day, day], 0) == 0)
        }
        // The files have another modification time now, but the same bytes.
        #expect(try await library.verify().intact.count == 4)
        for (index, file) in library.entries.compactMap(\.file).enumerated() {
            let used = timespec(tv_sec: now - (10 - index) * 3600, tv_nsec: 0)
            let keep = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
            #expect(utimensat(AT_FDCWD, file.path, [used, keep], 0) == 0)
        }
        let latch = try await scene.hold(library, of: Resource(size: 1 << 20))
        try scene.folder.write("foreign", "mine")
        #expect(try await library.clean(["a", "none"]).removed == ["a"])
        // A request for a file counts as a use.
        _ = try await library.file(for: "b")
        let policy = CleaningPolicy(maximumAge: .seconds(7 * 3600 + 1800))
        let aged = try await library.clean(policy)
        #expect(aged.removed == ["c"])
        #expect(aged.removedBytes == 1000)
        let rest = try await library.clean(CleaningPolicy(maximumTotalBytes: 1500))
        #expect(rest.removed == ["d"])
        #expect(rest.remainingKeys == 2)
        #expect(library.entries.map(\.key) == ["b", "disk"])
        #expect(scene.folder.exists("foreign"))
        latch.release()
        _ = try await library.file(for: "disk")
    }

    @Test func `no policy cleans a library in a place that is never cleaned`() async throws {
        var configuration = LibraryConfiguration()
        configuration.session.applicationIdentifier = "pawl-test-\(getpid())"
        let library = try await DownloadLibrary(
            folder: .applicationSupport,
            configuration: configuration
        )
        try await library.write([1], for: "mine")
        let error = await #expect(throws: DownloadError.self) {
            try await library.clean(CleaningPolicy(maximumTotalBytes: 0))
        }
        #expect(error?.code == .usage)
        #expect(library.exists("mine"))
        #expect(try await library.clean(["mine"]).removed == ["mine"])
        let path = library.folder.path
        await library.close()
        rmdir(path)
    }

    @Test func `a running download is discarded by its key`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        let events = library.events
        _ = try await scene.hold(library, of: Resource(size: 1 << 20))
        #expect(try await library.cancel("disk"))
        #expect(try await !library.cancel("disk"))
        #expect(scene.folder.list() == [])
        #expect(library.entries.isEmpty)
        _ = await events.first { if case .cancelled("disk") = $0 { true } else { nil } }
        // The same for a paused one.
        _ = try await scene.hold(library, of: Resource(size: 1 << 20))
        library.pause("disk")
        await library.waits(for: "disk") { $0?.isPaused == true }
        #expect(try await library.delete("disk"))
        #expect(scene.folder.list() == [])
    }
}
