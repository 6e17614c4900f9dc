import class FoundationEssentials.JSONDecoder
import class FoundationEssentials.JSONEncoder
import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Contract: "one download per key: a second request for a running key joins it, for a finished key
/// returns the file, for a paused key resumes it".
@Suite(.timeLimit(.minutes(5)))
struct LibraryAskingTests {
    private let resource = Resource(size: 1 << 20)

    @Test func `a temporary library over a background session is refused with advice`() async {
        var configuration = LibraryConfiguration()
        configuration.session = .background(identifier: "library-test")
        let error = await #expect(throws: DownloadError.self) {
            try await DownloadLibrary(folder: .temporary, configuration: configuration)
        }
        #expect(error?.code == .usage)
        #expect(error?.advice.contains("another place") == true)
    }

    @Test func `a second request for a running key joins it`() async throws {
        let latch = Latch()
        let scene = try ShelfScene(.resource(resource).holdAfterBytes(1000, until: latch))
        let library = try await scene.open()
        let url = try scene.url()
        async let first = library.file(for: "disk", from: url)
        await latch.waitForArrivals()
        async let second = library.file(for: "disk", from: url)
        while library.waiterCount(for: "disk") < 2, !Task.isCancelled { await Task.yield() }
        latch.release()
        let files = try await [first, second]
        #expect(files[0] == files[1])
        #expect(try resource.verify(fileAt: files[0].path) == nil)
        #expect(scene.origin.requests.count == 1)
        #expect(library.exists("disk"))
    }

    @Test func `a finished key returns its file without a request, even in the next process`()
        async throws
    {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        let file = try await library.file(for: "disk", from: try scene.url())
        #expect(file.digest == resource.digest(.sha256))
        #expect(file.mediaType == "application/octet-stream")
        #expect(try await library.file(for: "disk", from: try scene.url()) == file)
        let form = try JSONEncoder().encode(file)
        #expect(try JSONDecoder().decode(LibraryFile.self, from: form) == file)
        await library.close()
        let next = try await scene.open()
        #expect(try await next.file(for: "disk") == file)
        #expect(next.entries.map(\.key) == ["disk"])
        #expect(next.entry(for: "disk")?.state == .finished)
        #expect(scene.origin.requests.count == 1)
        // Only the file remains.
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test func `if the server ignores the condition, its tag proves the file`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open { $0.finishedFilePolicy = .revalidate }
        let file = try await library.file(for: "disk", from: try scene.url())
        #expect(try await library.file(for: "disk") == file)
        #expect(scene.origin.requests.map(\.status) == [200, 200])
        // A weak tag proves nothing.
        let tag = try #require(resource.entityTag)
        scene.origin.route("/disk.bin", .resource(resource).setting("ETag", "W/\(tag)"))
        _ = try await library.file(for: "disk")
        #expect(scene.origin.requests.map(\.status) == [200, 200, 200, 200])
    }

    @Test func `a finished entry has all of its bytes`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        try await library.file(for: "disk", from: try scene.url())
        let entry = try #require(library.entry(for: "disk"))
        #expect(entry.receivedBytes == resource.size)
        #expect(entry.totalBytes == resource.size)
    }

    @Test func `the URL of a removed file is remembered while the library is open`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        let file = try await library.file(for: "disk", from: try scene.url())
        #expect(unlink(scene.folder.path("disk.bin")) == 0)
        #expect(try await library.file(for: "disk").path == file.path)
        #expect(try await library.delete("disk"))
        #expect(try await library.file(for: "disk").path == file.path)
        #expect(scene.origin.requests.count == 3)
    }

    @Test func `a revalidation makes one conditional request`() async throws {
        let resource = resource
        let tag = try #require(resource.entityTag)
        let scene = try ShelfScene(
            .resource(resource).choosing(.status(304)) { $0.request["If-None-Match"] == tag }
        )
        let library = try await scene.open { $0.finishedFilePolicy = .revalidate }
        let file = try await library.file(for: "disk", from: try scene.url())
        #expect(try await library.file(for: "disk") == file)
        #expect(scene.origin.requests.map(\.status) == [200, 304])
        // Another version replaces the file once it is complete.
        let other = Resource(size: 700_000, seed: 2)
        scene.origin.route("/disk.bin", .resource(other))
        let newer = try await library.file(for: "disk")
        #expect(newer.path == file.path)
        #expect(try other.verify(fileAt: newer.path) == nil)
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test func `a paused key resumes at its last byte, even in the next process`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        let events = library.events
        _ = try await scene.hold(library, of: resource)
        library.pause("disk")
        _ = await events.first { if case .paused("disk") = $0 { true } else { nil } }
        #expect(library.entry(for: "disk")?.state.isPaused == true)
        await library.close()
        await scene.origin.waitForQuiet()
        scene.origin.route("/disk.bin", .resource(resource))
        let next = try await scene.open()
        let entry = try #require(next.entry(for: "disk"))
        #expect(entry.state.isPaused)
        #expect(entry.receivedBytes == 400_000)
        #expect(entry.totalBytes == resource.size)
        // The URL is known, and the key is stored with the partial file.
        let file = try await next.file(for: "disk")
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.origin.requests.last?.range?.first == 400_000)
    }

    @Test func `cancelling the last waiter pauses the download and keeps its bytes`() async throws {
        let latch = Latch()
        let scene = try ShelfScene(.resource(resource).holdAfterBytes(400_000, until: latch))
        let library = try await scene.open()
        let url = try scene.url()
        let waiting = Task { try await library.file(for: "disk", from: url) }
        let other = Task { try await library.file(for: "disk", from: url) }
        await library.reaches(400_000, "disk")
        while library.waiterCount(for: "disk") < 2, !Task.isCancelled { await Task.yield() }
        waiting.cancel()
        let error = await #expect(throws: DownloadError.self) { try await waiting.value }
        #expect(error?.code == .interrupted)
        #expect(library.task(for: "disk")?.state == .running)
        other.cancel()
        _ = await #expect(throws: DownloadError.self) { try await other.value }
        await library.waits(for: "disk") { $0?.isPaused == true }
        latch.release()
        scene.origin.route("/disk.bin", .resource(resource))
        _ = try await library.file(for: "disk")
        #expect((scene.origin.requests.last?.range?.first ?? 0) >= 400_000)
    }

    @Test(arguments: [
        "", "../../etc/passwd", "ключ/с косой", "a\u{0}b\n", ".", "🏳️‍🌈", "CON", "%41",
        String(repeating: "long/", count: 200),
    ])
    func `any text is a valid key`(text: String) async throws {
        let scene = try ShelfScene(.resource(Resource(size: 10)))
        let library = try await scene.open()
        let key = StorageKey(text)
        let file = try await library.file(for: key, from: try scene.url())
        #expect(file.key == key)
        #expect(file.path == scene.folder.path(file.name))
        await library.close()
        let next = try await scene.open()
        #expect(next.finishedFile(for: key) == file)
    }

    @Test func `a name given by the user is cleaned, and numbered if another key has it`()
        async throws
    {
        let scene = try ShelfScene(.resource(Resource(size: 10)))
        let library = try await scene.open()
        var request = LibraryRequest(try scene.url())
        request.name = "../cover.png"
        #expect(try await library.file(for: "a", request).name == "cover.png")
        #expect(try await library.file(for: "b", request).name == "cover.1.png")
        // A file that belongs to no key is not replaced either.
        try scene.folder.write("photo.png", "mine")
        request.name = "photo.png"
        #expect(try await library.file(for: "c", request).name == "photo.1.png")
        #expect(try scene.folder.readText("photo.png") == "mine")
    }

    @Test func `a failure is reported, stored, and retried on request`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        let error = await #expect(throws: DownloadError.self) {
            try await library.file(for: "disk", from: try scene.url())
        }
        #expect(error?.code == .notFound)
        #expect(error?.httpStatus == 404)
        #expect(library.entry(for: "disk")?.state.failure?.code == .notFound)
        #expect(library.entry(for: "disk")?.state == error.map(LibraryState.failed))
        await library.close()
        let next = try await scene.open()
        #expect(next.entry(for: "disk")?.state.failure?.message == error?.message)
        scene.origin.route("/disk.bin", .resource(resource))
        next.resumeAll()
        #expect(try await next.file(for: "disk").byteCount == resource.size)
    }

    @Test func `more keys than the limit are fetched in turn`() async throws {
        let scene = try ShelfScene(.resource(Resource(size: 1000)))
        let library = try await scene.open { $0.session.maximumConcurrentDownloads = 2 }
        let keys = (0..<40).map { StorageKey("key-\($0)") }
        for key in keys { try library.start(key, from: try scene.url()) }
        for key in keys { #expect(try await library.file(for: key).byteCount == 1000) }
        #expect(scene.origin.requests.count == 40)
        #expect(scene.folder.list().count == 40)
    }

    @Test func `a waiting key survives the loss of its process`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open { $0.session.maximumConcurrentDownloads = 1 }
        _ = try await scene.hold(library, of: resource)
        try library.start("second", from: try scene.url("/second"))
        let note = ".second.pawl-download"
        try await scene.folder.wait(for: note)
        let next = try await scene.open()
        #expect(next.entry(for: "second")?.state.isPaused == true)
        await library.close()
    }
}
