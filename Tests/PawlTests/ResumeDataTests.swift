import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The contract's row: `ResumeData` can be used more than once, in another process, and after the
/// file moved, and only while its checks pass.
@Suite(.timeLimit(.minutes(5)))
struct ResumeDataTests {
    private let resource = Resource(size: DownloadScene.size)
    private let partial = "disk.bin.part"
    private let checkpoint = "disk.bin.part.pawl"

    private func expectResumed(_ scene: DownloadScene, since count: Int) {
        let asked = scene.asked(since: count)
        #expect(!asked.isEmpty && asked.allSatisfy { $0.status == 206 })
        let requested = asked.requestedBytes(of: DownloadScene.size).count
        #expect(requested <= DownloadScene.size - 4 * DownloadScene.held + 8192)
    }

    @Test func `resume data in the error can be used in another process`() async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        #expect(data.url == (try scene.url()))
        #expect(data.receivedBytes == 4 * DownloadScene.held)
        #expect(data.totalBytes == DownloadScene.size && data.entityTag == resource.entityTag)
        #expect(data.partialPath == scene.folder.path(partial))
        let count = scene.origin.requests.count
        let file = try await scene.resume(data)
        #expect(file.path == scene.folder.path("disk.bin"))
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.folder.list() == ["disk.bin"])
        expectResumed(scene, since: count)
    }

    @Test func `resume data can be used again after more bytes arrived`() async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        var resume = ResumeSettings()
        resume.adjustment = { $0.connections = .fixed(1) }
        let second = try scene.session.downloadTask(withResumeData: data, resume)
        let latch = Latch()
        scene.origin.route("/disk.bin", .resource(resource).holdAfterBytes(50_000, until: latch))
        let task = Task { try await scene.session.finish(second) }
        await latch.waitForArrivals()
        await second.reaches(4 * DownloadScene.held + 50_000)
        task.cancel()
        await #expect(throws: DownloadError.self) { try await task.value }
        #expect(second.resumeData?.receivedBytes ?? 0 >= 4 * DownloadScene.held + 50_000)
        scene.origin.route("/disk.bin", .resource(resource))
        let count = scene.origin.requests.count
        let file = try await scene.resume(data)
        #expect(try resource.verify(fileAt: file.path) == nil)
        expectResumed(scene, since: count)
    }

    @Test func `after the file is complete, resume data find it`() async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        _ = try await scene.resume(data)
        let again = try await scene.resume(data)
        // Without extended attributes nothing identifies the file.
        #expect(again.wasAlreadyThere == (scene.folder.list() == ["disk.bin"]))
        #expect(try resource.verify(fileAt: again.path) == nil)
    }

    enum Move: String, CaseIterable, Sendable {
        case renamed, withCheckpoint, alone, withoutCheckpoint, otherEnding
    }

    @Test(arguments: Move.allCases)
    func `resume data can be used after the partial file moved`(move: Move) async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        try scene.folder.makeFolder("other")
        let newPath =
            switch move {
            case .renamed: "kept.part"
            case .withCheckpoint, .alone, .withoutCheckpoint: "other/disk.bin.part"
            case .otherEnding: "other/kept.bytes"
            }
        scene.move(partial, to: newPath)
        if move == .withCheckpoint { scene.move(checkpoint, to: newPath + ".pawl") }
        if move == .withoutCheckpoint { scene.remove(checkpoint) }
        let count = scene.origin.requests.count
        let file = try await scene.resume(data) { $0.partialFile = scene.folder.path(newPath) }
        let name = move == .renamed ? "disk.bin" : "other/disk.bin"
        #expect(file.path == scene.folder.path(name))
        #expect(try resource.verify(fileAt: file.path) == nil)
        expectResumed(scene, since: count)
        #expect(!scene.folder.exists(newPath))
        // A checkpoint that stayed is used and removed, too.
        #expect(!scene.folder.exists(checkpoint))
    }

    @Test func `the partial file moves with a new destination`() async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        let count = scene.origin.requests.count
        let file = try await scene.resume(data) {
            $0.destination = .file(scene.folder.path("new/name.bin"))
        }
        #expect(file.path == scene.folder.path("new/name.bin"))
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.folder.list() == ["new"])
        expectResumed(scene, since: count)
    }

    @Test func `resume data can be used again after a failed use`() async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        let newPath = Destination.file(scene.folder.path("new/name.bin"))
        scene.origin.route("/disk.bin", .status(404))
        await #expect(throws: DownloadError.self) {
            try await scene.resume(data) { $0.destination = newPath }
        }
        scene.origin.route("/disk.bin", .resource(resource))
        let count = scene.origin.requests.count
        let file = try await scene.resume(data) {
            $0.destination = newPath
            $0.fallback = .fail
        }
        #expect(try resource.verify(fileAt: file.path) == nil)
        expectResumed(scene, since: count)
    }

    @Test(arguments: ["gone", "torn"])
    func `resume data replace a missing or damaged checkpoint`(state: String) async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        if state == "gone" { scene.remove(checkpoint) }
        if state == "torn" { try scene.folder.write(checkpoint, "PAWLCKPT torn") }
        let count = scene.origin.requests.count
        let file = try await scene.resume(data)
        #expect(try resource.verify(fileAt: file.path) == nil)
        expectResumed(scene, since: count)
    }

    @Test func `changed bytes in the partial file are fetched again`() async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        scene.remove(checkpoint)
        var bytes = try scene.folder.read(partial)
        bytes[Int(DownloadScene.held) - 10] ^= 1
        try scene.folder.write(partial, bytes)
        let file = try await scene.resume(data)
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    /// The claims are true, as a forger may know the file.
    @Test(arguments: [false, true])
    func `resume data that name another file of the user leave it alone`(
        isImported: Bool
    ) async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        let report = try scene.folder.read(partial)
        try scene.folder.write("report.pdf", report)
        var content = data.content
        content.importedBytes = isImported ? 96_000 : 0
        content.partialPath = Array(scene.folder.path("report.pdf").utf8)
        content.finalPath = Array(scene.folder.path("new.bin").utf8)
        let forged = ResumeData(content)
        let error = await #expect(throws: DownloadError.self) {
            try await scene.resume(forged) { $0.fallback = .fail }
        }
        #expect(error?.resumeObstacle == .partialFileMissing)
        let file = try await scene.resume(forged)
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(try scene.folder.read("report.pdf") == report)
    }

    @Test func `an expired URL is replaced while the bytes stay`() async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        scene.origin.route("/disk.bin", .status(403))
        scene.origin.route("/new.bin", .resource(resource))
        let count = scene.origin.requests.count
        let url = try scene.url("/new.bin")
        let file = try await scene.resume(data) { $0.url = url }
        #expect(file.path == scene.folder.path("disk.bin"))
        #expect(try resource.verify(fileAt: file.path) == nil)
        expectResumed(scene, since: count)
    }

    @Test func `resume data exist while the download runs, and name its owner`() async throws {
        let scene = try DownloadScene()
        let download = scene.task(
            try scene.url(),
            to: scene.file(),
            settings: scene.fixed(4)
        )
        #expect(download.resumability == .notResumable(.nothingReceived))
        #expect(download.resumeData == nil)
        let error = try await scene.interrupt(download, .resource(resource)) { download in
            #expect(download.resumability == .resumable(from: 4 * DownloadScene.held))
            // The checkpoint may follow the last event.
            while download.resumeData == nil {
                try Task.checkCancellation()
                await Task.yield()
            }
            let data = try #require(download.resumeData)
            let busy = await #expect(throws: DownloadError.self) {
                try await scene.resume(data)
            }
            #expect(busy?.code == .alreadyRunning)
            #expect(busy?.message.contains("\(getpid())") == true)
        }
        let data = try #require(error.resumeData)
        #expect(data == download.resumeData)
        let file = try await scene.resume(data)
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test func `resume data never contain secrets, which must be given again`() async throws {
        let scene = try DownloadScene()
        let reply = Reply.resource(resource).requireAuthorization("Bearer hunter2")
        var settings = scene.fixed(4)
        settings.fields = [
            HTTPField(name: "Authorization", value: "Bearer hunter2"),
            HTTPField(name: "Cookie", value: "a=hunter2"),
            HTTPField(name: "X-Plain", value: "1"),
        ]
        let download = scene.task(
            try scene.url(),
            to: scene.file(),
            settings: settings
        )
        let error = try await scene.interrupt(download, reply)
        let data = try #require(error.resumeData)
        #expect(!String(decoding: data.data, as: UTF8.self).contains("hunter2"))
        #expect(data.omittedFields == ["Authorization", "Cookie"])
        let without = await #expect(throws: DownloadError.self) { try await scene.resume(data) }
        #expect(without?.code == .unauthorized)
        let kept = try #require(without?.resumeData)
        #expect(kept.receivedBytes == data.receivedBytes)
        settings.fields.removeLast()
        let count = scene.origin.requests.count
        let file = try await scene.resume(kept, settings: settings)
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.asked(since: count).allSatisfy { $0["X-Plain"] == "1" })
        expectResumed(scene, since: count)
    }

    @Test func `resume data keep a given digest`() async throws {
        let scene = try DownloadScene()
        var settings = scene.fixed(4)
        settings.checksum = .digest(try #require(resource.digest(.sha256)))
        let download = scene.task(
            try scene.url(),
            to: scene.file(),
            settings: settings
        )
        // The digest proves these bytes; no validator does.
        let error = try await scene.interrupt(download, .resource(resource).omitValidators)
        let data = try #require(error.resumeData)
        let count = scene.origin.requests.count
        let file = try await scene.resume(data)
        #expect(file.verifiedDigest == resource.digest(.sha256))
        // The bytes that are compared are fetched again; the ranges show that nothing starts from
        // zero.
        #expect(scene.asked(since: count).allSatisfy { $0.status == 206 })
    }
}
