import Pawl
import PawlCore
import PawlTesting
import Testing

@Suite("Contract: pausing and resuming", .timeLimit(.minutes(5)))
struct PausingContract {
    private static let held = SessionScene.held
    private let resource = Resource(size: 1 << 20)

    /// Returns a task that has received `held` bytes from a server that sends no more.
    private func begin(_ scene: SessionScene, _ session: DownloadSession) async throws
        -> DownloadTask
    {
        let latch = Latch()
        scene.origin.route("/disk.bin", .resource(resource).holdAfterBytes(Self.held, until: latch))
        let task = try await scene.start(in: session, reaching: Self.held)
        return task
    }

    private func serveAll(_ scene: SessionScene) async {
        await scene.origin.waitForQuiet()
        scene.origin.route("/disk.bin", .resource(resource))
    }

    @Test("suspend / resume (keeps the connection until it times out)")
    func suspension() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, reaching: Self.held)
        task.suspend()
        #expect(task.state == .suspended)
        let still = task.currentProgress
        #expect(still.bytesPerSecond == 0 && still.connections == 0 && still.segments.isEmpty)
        #expect(still.timeLeft == nil && still.phase == .waiting)
        #expect(still.completedBytes >= Self.held)
        latch.release()
        await scene.origin.waitUntil { $0.bodyBytesSent > Self.held }
        #expect(await settledBytes(of: task) < resource.size)
        task.resume()
        _ = try await task.file
        #expect(scene.origin.requests.count == 1)
    }

    @Test("suspend: a long suspension becomes a pause that needs no connection")
    func longSuspension() async throws {
        let scene = try SessionScene()
        var configuration = scene.configuration
        configuration.suspensionLimit = .zero
        let task = try await begin(scene, DownloadSession(configuration))
        task.suspend()
        while task.state != .paused, !Task.isCancelled { await Task.yield() }
        await serveAll(scene)
        task.resume()
        _ = try await task.file
        #expect(scene.origin.requests.map { $0.range?.first } == [nil, Self.held])
    }

    @Test("cancel (bytes lost)")
    func cancelling() async throws {
        let scene = try SessionScene()
        let task = try await begin(scene, DownloadSession(scene.configuration))
        task.cancel()
        let error = await #expect(throws: DownloadError.self) { try await task.file }
        #expect(error?.code == .cancelled && error?.resumeData == nil)
        #expect(scene.folder.list().isEmpty)
    }

    @Test("cancelByProducingResumeData:, downloadTaskWithResumeData:")
    func resumeData() async throws {
        let scene = try SessionScene()
        let task = try await begin(scene, DownloadSession(scene.configuration))
        let data = try #require(await task.cancelByProducingResumeData())
        #expect(data.receivedBytes == Self.held)
        await serveAll(scene)
        // In another session, as in another process, and again after the file is complete.
        for _ in 0..<2 {
            let again = try DownloadSession(scene.configuration)
                .downloadTask(withResumeData: try ResumeData(data: data.data))
            again.resume()
            let file = try await again.file
            #expect(try resource.verify(fileAt: file.path) == nil)
        }
        #expect(scene.origin.requests[1].range?.first == Self.held)
    }

    @Test(
        "cancelByProducingResumeData: if there is none, ResumeObstacle states why",
        arguments: [
            ResumeObstacle.noValidator, .weakValidatorOnly, .noRanges, .encoded, .lengthUnknown,
            .notGET,
        ]
    )
    func obstacle(obstacle: ResumeObstacle) async throws {
        let latch = Latch()
        var resource = resource
        if obstacle == .notGET { resource.methods = ["POST"] }
        let reply = Reply.resource(resource).holdAfterBytes(Self.held, until: latch)
        let served =
            switch obstacle {
            case .noValidator: reply.omitValidators
            case .weakValidatorOnly: reply.weakEntityTag.removing("Last-Modified")
            case .noRanges: reply.ignoreRange.setting("Accept-Ranges", "none")
            case .lengthUnknown: reply.omitValidators.chunked()
            default: reply.contentEncoding("gzip")
            }
        let scene = try SessionScene(served)
        var configuration = scene.configuration
        configuration.settings.resumesWithoutValidator = obstacle == .lengthUnknown
        let session = DownloadSession(configuration)
        var request = DownloadRequest(try scene.url())
        if obstacle == .notGET { request.method = "POST" }
        let task = session.downloadTask(with: request, to: scene.target())
        task.resume()
        await waitForBytes(Self.held, of: task)
        #expect(await task.cancelByProducingResumeData() == nil)
        #expect(task.error?.resumeObstacle == obstacle)
    }

    @Test("Resume data in the error's userInfo")
    func resumeDataInError() async throws {
        let broken = Reply.resource(resource).afterBytes(Self.held, .close)
        let scene = try SessionScene(broken.from(request: 2, .status(404)))
        let session = DownloadSession(scene.configuration)
        let error = await #expect(throws: DownloadError.self) {
            try await session.download(try scene.url(), to: scene.target())
        }
        let data = try #require(error?.resumeData)
        #expect(error?.code == .notFound && data.receivedBytes == Self.held)
        scene.origin.route("/disk.bin", .resource(resource))
        let task = try session.downloadTask(withResumeData: data)
        task.resume()
        #expect(try resource.verify(fileAt: try await task.file.path) == nil)
        #expect(scene.origin.requests.last?.range?.first == Self.held)
    }

    @Test("Range: bytes=N-, partial size from the file's attributes, total kept in a side file")
    func checkpoint() async throws {
        let scene = try SessionScene()
        let task = try await begin(scene, DownloadSession(scene.configuration))
        _ = await task.cancelByProducingResumeData()
        await scene.origin.waitForQuiet()
        #expect(scene.folder.list() == ["disk.bin.part", "disk.bin.part.pawl"])
        // Another file of the same size under the same name: mixing the bytes of both would make a
        // third.
        let other = Resource(size: resource.size, seed: 2)
        scene.origin.route("/disk.bin", .resource(other))
        let file = try await DownloadSession(scene.configuration)
            .download(try scene.url(), to: scene.target())
        #expect(scene.origin.requests.contains { $0.range?.first == Self.held })
        #expect(try other.verify(fileAt: file.path) == nil)
    }

    @Test(
        "Resume data broken by the system: iOS 10.0-10.1, iOS 11.0-11.2",
        arguments: ["NSURLSessionResumeCurrentRequest", "NSURLSessionResumeByteRange"]
    )
    func brokenBySystem(key: String) async throws {
        let scene = try SessionScene(.resource(resource))
        let part = try scene.folder.write(
            "CFNetworkDownload_1.tmp",
            resource.bytes(ByteRange(0, Self.held))
        )
        let stray = key.hasSuffix("ByteRange") ? "<string>0-1000</string>" : "<data>AAAA</data>"
        let list = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>NSURLSessionDownloadURL</key><string>\(try scene.url())</string>
            <key>NSURLSessionResumeBytesReceived</key><integer>\(Self.held)</integer>
            <key>NSURLSessionResumeEntityTag</key><string>\(resource.entityTag ?? "")</string>
            <key>NSURLSessionResumeInfoLocalPath</key><string>\(part)</string>
            <key>\(key)</key>\(stray)
            </dict></plist>
            """
        var resume = ResumeSettings()
        resume.destination = .file(scene.folder.path("disk.bin"))
        let task = try DownloadSession(scene.configuration)
            .downloadTask(withResumeData: ResumeData(appleResumeData: list.utf8), resume)
        task.resume()
        #expect(try resource.verify(fileAt: try await task.file.path) == nil)
        #expect(scene.origin.requests.allSatisfy { $0.range?.first ?? 0 > 0 })
    }

    @Test("Resume data: damage gives a clear error, never a short file")
    func damagedResumeData() async throws {
        let scene = try SessionScene()
        let task = try await begin(scene, DownloadSession(scene.configuration))
        let data = try #require(await task.cancelByProducingResumeData()).data
        for index in [0, data.count / 2, data.count - 1] {
            var damaged = Array(data)
            damaged[index] ^= 1
            let error = #expect(throws: DownloadError.self) { try ResumeData(data: damaged) }
            #expect(error?.code == .invalidResumeData)
        }
    }

    @Test("Several threads, each with its part of one full-size file")
    func severalParts() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 50_000, until: latch)
        var configuration = scene.configuration
        configuration.settings.connections = .fixed(4)
        let session = DownloadSession(configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        await latch.waitForArrivals(4)
        #expect(scene.origin.snapshot.activeExchanges == 4)
        latch.release()
        #expect(try resource.verify(fileAt: try await task.file.path) == nil)
    }
}
