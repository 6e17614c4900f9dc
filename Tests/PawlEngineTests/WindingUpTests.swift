import struct FoundationEssentials.URL
import Logging
import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// A download's end must not hang on a transfer whose own end came just before.
@Suite(.timeLimit(.minutes(1)), .inTurn)
struct WindingUpTests {
    /// Gives a head and breaks, all before `start` returns.
    private struct AbruptTransport: Transport {
        final class Ended: Transfer {
            func cancel() {}
            func resume() {}
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

    @Test func `an end that comes together with what fails the download is heard`()
        async throws
    {
        let folder = try ScratchFolder()
        try folder.write("disk.bin", "another")
        let engine = Engine(
            transport: AbruptTransport(),
            time: SystemTimekeeper(),
            settings: DownloaderSettings(),
            cores: 1,
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
}
