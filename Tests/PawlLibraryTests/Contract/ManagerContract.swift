import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// The contract for users of `URLSession`, one test per row: docs/urlsession.md.
@Suite("Contract: a manager of files", .timeLimit(.minutes(5)))
struct ManagerContract {
    private let resource = Resource(size: 200_000)

    @Test("A singleton manager; each download has a storage_key")
    func oneDownloadAKey() async throws {
        let latch = Latch()
        let scene = try ShelfScene(.resource(resource).holdAfterBytes(1000, until: latch))
        let (one, other) = (try await scene.open(), try await scene.open())
        let url = try scene.url()
        async let first = one.file(for: "film", from: url)
        await latch.waitForArrivals()
        async let second = one.file(for: "film", from: url)
        // The second request has joined while the first is running; no other library may fetch the
        // key.
        while one.waiterCount(for: "film") < 2, !Task.isCancelled { await Task.yield() }
        let refused = await #expect(throws: DownloadError.self) {
            try await other.file(for: "film", from: url)
        }
        #expect(refused?.code == .alreadyRunning)
        latch.release()
        #expect(try await first == second)
        await other.waits(for: "film") { $0?.isFinished == true }
        #expect(try await other.file(for: "film") == first)
        #expect(scene.origin.requests.count == 1)
    }

    @Test("A dictionary of running downloads, one of files on disk")
    func entriesSayWhatIsWhere() async throws {
        let scene = try ShelfScene()
        scene.origin.route("/done", .resource(resource))
        let library = try await scene.open()
        _ = try await library.file(for: "done", from: try scene.url("/done"))
        _ = await #expect(throws: DownloadError.self) {
            try await library.file(for: "failed", from: try scene.url("/none"))
        }
        _ = try await scene.hold(library, "paused", after: 1000, of: resource)
        guard case .running = library.entry(for: "paused")?.state else {
            Issue.record("\(library.entries)")
            return
        }
        await library.close()
        let next = try await scene.open()
        #expect(next.entries.map(\.key) == ["done", "failed", "paused"])
        #expect(next.entry(for: "done")?.state.isFinished == true)
        #expect(next.entry(for: "failed")?.state.failure?.code == .notFound)
        #expect(next.entry(for: "paused")?.state.isPaused == true)
    }

    @Test("File names that carry the key")
    func anyName() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        var request = LibraryRequest(try scene.url())
        request.name = "The film.mkv"
        let file = try await library.file(for: "film|||4711|||video", request)
        await library.close()
        #expect(rename(file.path, scene.folder.path("Another name.mkv")) == 0)
        let next = try await scene.open()
        #expect(next.finishedFile(for: "film|||4711|||video")?.name == "Another name.mkv")
    }

    @Test("DirectoryWatcher on the folder")
    func watchedFolder() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        let file = try await library.file(for: "film", from: try scene.url())
        let (events, folder) = (library.events, scene.folder)
        #expect(rename(file.path, folder.path("other.bin")) == 0)
        let renamed = await events.first {
            if case .fileRenamed("film.bin", "other.bin", let key) = $0 { key } else { nil }
        }
        #expect(renamed == "film")
        try folder.write("other.bin", "mine")
        let changed = await events.first {
            if case .fileChanged("other.bin", let key) = $0 { key } else { nil }
        }
        #expect(changed == "film")
        #expect(!library.exists("film"))
        #expect(unlink(folder.path("other.bin")) == 0)
        let gone = await events.first { if case .fileRemoved(_, let key) = $0 { key } else { nil } }
        #expect(gone == "film")
        #expect(library.entries.isEmpty)
        // A burst of changes.
        var missing = Set((0..<1000).map { "\($0)" })
        for name in missing { try folder.write(name, []) }
        for await event in events {
            if case .fileAdded(let name, _) = event { missing.remove(name) }
            if missing.isEmpty { break }
        }
        #expect(missing.isEmpty)
    }

    @Test("Already finished? By its key")
    func alreadyFinishedKey() async throws {
        let tag = try #require(resource.entityTag)
        let scene = try ShelfScene(
            .resource(resource).choosing(.status(304)) { $0.request["If-None-Match"] == tag }
        )
        let library = try await scene.open()
        let file = try await library.file(for: "disk", from: try scene.url())
        #expect(try await library.file(for: "disk", from: try scene.url()) == file)
        #expect(scene.origin.requests.count == 1)
        var request = LibraryRequest(try scene.url())
        request.policy = .revalidate
        #expect(try await library.file(for: "disk", request) == file)
        #expect(scene.origin.requests.count == 2)
        #expect(scene.origin.requests.last?.status == 304)
    }
}
