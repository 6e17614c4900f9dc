import struct FoundationEssentials.URL
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The library as its users see it.
@Suite(.timeLimit(.minutes(5)))
struct DownloadTests {
    private let resource = Resource(size: DownloadScene.size)

    @Test func `a download to a file is complete when the call returns`() async throws {
        let scene = try DownloadScene()
        scene.origin.route("/disk.bin", .resource(resource))
        let file = try await scene.session.download(try scene.url(), to: scene.file())
        #expect(file.path == scene.folder.path("disk.bin"))
        #expect(file.byteCount == DownloadScene.size)
        #expect(!file.wasAlreadyThere)
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test func `a download to a folder gets the name that the server gives`() async throws {
        let scene = try DownloadScene()
        let disposition = "attachment; filename=\"named.bin\""
        scene.origin.route(
            "/disk.bin",
            .resource(resource).setting("Content-Disposition", disposition)
        )
        let folder = TaskDestination.directory(scene.folder.path("new"))
        let file = try await scene.session.download(try scene.url(), to: folder)
        #expect(file.path == scene.folder.path("new/named.bin"))
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test func `credentials in the URL are sent but never printed`() async throws {
        let scene = try DownloadScene()
        scene.origin.route(
            "/disk.bin",
            .resource(resource).requireBasic(name: "anna", password: "p@ss word")
        )
        let address = "http://anna:p%40ss%20word@127.0.0.1:\(scene.origin.port)/disk.bin"
        let url = try #require(URL(string: address))
        let file = try await scene.session.download(url, to: scene.file())
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.origin.requests.count { $0["Authorization"] != nil } > 0)
        scene.origin.route("/gone.bin", .status(404))
        let other = try #require(URL(string: address.replacing("disk.bin", with: "gone.bin")))
        let error = await #expect(throws: DownloadError.self) {
            try await scene.session.download(other, to: scene.file("gone.bin"))
        }
        #expect(error?.description.contains("word") == false)
    }

    @Test func `no byte of the credentials is on disk`() async throws {
        let scene = try DownloadScene()
        let latch = Latch()
        scene.origin.route("/disk.bin", .resource(resource).holdAfterBytes(50_000, until: latch))
        let address = "http://anna:hunter2@127.0.0.1:\(scene.origin.port)/disk.bin?key=hunter2"
        let url = try #require(URL(string: address))
        let download = scene.task(url, to: scene.file())
        let task = Task { try await scene.session.finish(download) }
        await latch.waitForArrivals()
        await download.reaches(50_000)
        task.cancel()
        await #expect(throws: DownloadError.self) { try await task.value }
        let checkpoint = try scene.folder.read("disk.bin.part.pawl")
        #expect(!String(decoding: checkpoint, as: UTF8.self).contains("hunter2"))
    }

    @Test func `an invalid URL is an error before anything is touched`() async throws {
        let scene = try DownloadScene()
        for text in ["gopher://host/file", "file://host/passwd", "https:///nothing"] {
            let url = try #require(URL(string: text))
            let error = await #expect(throws: DownloadError.self) {
                try await scene.session.download(url, to: scene.file("new/file"))
            }
            #expect(error?.code == .usage)
        }
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `cancelling the awaiting task keeps the bytes, and a second call resumes`()
        async throws
    {
        let scene = try DownloadScene()
        let latch = Latch()
        let reply = Reply.resource(resource)
        scene.origin.route("/disk.bin", reply.holdAfterBytes(110_000, until: latch))
        let url = try scene.url()
        let download = scene.task(
            url,
            to: scene.file(),
            settings: scene.fixed(4)
        )
        let task = Task { try await scene.session.finish(download) }
        await latch.waitForArrivals(4)
        await download.reaches(440_000)
        task.cancel()
        let error = await #expect(throws: DownloadError.self) { try await task.value }
        #expect(error?.code == .interrupted)
        #expect(download.currentProgress.phase == .failed)
        #expect(scene.folder.list() == ["disk.bin.part", "disk.bin.part.pawl"])

        scene.origin.route("/disk.bin", reply)
        let before = scene.origin.requests.count
        let file = try await scene.session.download(
            url,
            to: scene.file(),
            adjusting: { $0.connections = .fixed(1) }
        )
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.folder.list() == ["disk.bin"])
        await scene.origin.waitUntil { $0.activeExchanges == 0 }
        let again = scene.origin.requests.dropFirst(before)
        #expect(again.allSatisfy { $0.status == 206 })
        #expect(again.reduce(0) { $0 + $1.bodyBytesSent } == DownloadScene.size - 440_000)
    }

    @Test func `a waiting download that is cancelled is interrupted`() async throws {
        var settings = SessionConfiguration.default
        settings.maximumConcurrentDownloads = 1
        let scene = try DownloadScene(settings)
        let latch = Latch()
        scene.origin.route("/*", .resource(resource).holdAfterBytes(1000, until: latch))
        let url = try scene.url()
        let first = Task { try await scene.session.download(url, to: scene.file()) }
        await latch.waitForArrivals()
        let waiting = scene.task(url, to: scene.file("second.bin"))
        let second = Task { try await scene.session.finish(waiting) }
        second.cancel()
        let error = await #expect(throws: DownloadError.self) { try await second.value }
        #expect(error?.code == .interrupted)
        #expect(waiting.currentProgress.phase == .failed)
        latch.release()
        _ = try await first.value
        #expect(scene.folder.list() == ["disk.bin"])
    }
}

extension DownloadTask {
    /// Waits until the progress reaches `count` bytes, or the download ends.
    func reaches(_ count: Int64) async {
        for await progress in progress where progress.completedBytes >= count { return }
    }
}
