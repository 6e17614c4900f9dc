import struct FoundationEssentials.URL
import Logging
import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// A download's end must not wait for a transfer that ended just before.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct ShutdownTests {
    /// Delivers a head and breaks, all before `start` returns.
    private struct AbruptTransport: Transport {
        final class Ended: Transfer {
            func cancel() {}
            func resume() {}
            func nudge() {}
        }

        func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
            let length = HTTPField(name: "Content-Length", value: "1000")
            let head = ResponseHead(url: request.url, status: 200, fields: [length])
            _ = sink.transferReceived(head)
            let failure = TransferFailure(.connectionLost, "cut")
            sink.transferEnded(TransferEnd(.failed(failure)))
            return Ended()
        }
    }

    @Test func `a transfer's end that coincides with the download's failure is noticed`()
        async throws
    {
        let folder = try ScratchFolder()
        try folder.write("disk.bin", "another")
        let engine = Engine(
            transport: AbruptTransport(),
            time: SystemTimekeeper(),
            logger: Logger(label: "test") { _ in LogRecorder() }
        )
        defer { engine.shutDown() }
        var settings = DownloadSettings()
        settings.ifExists = .fail
        let url = try #require(URL(string: "http://127.0.0.1/disk.bin"))
        let job = DownloadJob(
            url: url,
            destination: .directory(folder.path),
            settings: settings,
            seed: 1
        )
        let monitor = DownloadMonitor(time: engine.time)
        let error = await #expect(throws: DownloadError.self) {
            try await DownloadDriver(job, engine: engine, monitor: monitor).run()
        }
        #expect(error?.code == .fileExists)
    }

    /// Delivers a body that cannot be written, and passes other requests to the real transport.
    private struct SpoilingTransport: Transport {
        let real: any Transport

        func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
            guard request.url.path().hasSuffix("spoiled.bin") else {
                return real.start(request, sink: sink)
            }
            let length = HTTPField(name: "Content-Length", value: "1000000")
            let head = ResponseHead(url: request.url, status: 200, fields: [length])
            _ = sink.transferReceived(head)
            // Before the store exists.
            _ = [UInt8](repeating: 1, count: 10).withUnsafeBytes { sink.transferReceived($0) }
            sink.transferEnded(TransferEnd(.stopped))
            return AbruptTransport.Ended()
        }
    }

    @Test func `after bytes that could not be written the host's slot is free`() async throws {
        let resource = Resource(size: Scene.size)
        let scene = try Scene(.resource(resource))
        var settings = EngineSettings()
        settings.connectionsPerHost = 1
        let process = EngineProcess(settings, wrap: SpoilingTransport.init)
        await #expect(throws: DownloadError.self) {
            try await scene.download(
                scene.settings(1),
                from: "/spoiled.bin",
                to: "spoiled.bin",
                by: process
            )
        }
        try await scene.download(scene.settings(1), by: process)
        try scene.expectFile(resource)
    }

    @Test func `shutting down the transport ends the download and keeps its bytes`() async throws {
        let resource = Resource(size: Scene.size)
        let latch = Latch()
        let scene = try Scene(.resource(resource).holdAfterBytes(300_000, until: latch))
        let process = EngineProcess()
        let running = try scene.start(scene.settings(1), by: process)
        await latch.waitForArrivals()
        await running.waitForBytes(300_000)
        process.shutDownTransport()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .interrupted)
        latch.release()
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.map { $0.range?.first } == [300_000])
    }
}
