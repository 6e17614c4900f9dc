import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The contract with those who know `URLSession`, a test a row: docs/urlsession.md.
@Suite("Contract: a manager of files", .timeLimit(.minutes(1)))
struct ManagerContract {
    private let resource = Resource(size: 200_000)

    @Test("A singleton manager; each download has a storage_key")
    func oneDownloadAKey() async throws {
        let scene = try ShelfScene(.resource(resource))
        let (one, other) = (try await scene.open(), try await scene.open())
        let url = try scene.url()
        async let first = one.file(for: "film", from: url)
        async let second = one.file(for: "film", from: url)
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
        let events = library.events
        let clock = ContinuousClock()
        let begin = clock.now
        #expect(unlink(file.path) == 0)
        let gone = await events.first { if case .fileRemoved(_, let key) = $0 { key } else { nil } }
        #expect(gone == "film")
        #expect(begin.duration(to: clock.now) < .seconds(1))
        #expect(library.entries.isEmpty)
    }
}
