import struct FoundationEssentials.URL
import Pawl
import PawlCore
import PawlTesting
import Testing

/// "Timings (name lookup, connect, TLS, first byte, transfer, bytes on the wire, segments,
/// retries)", and what an error reports.
@Suite(.timeLimit(.minutes(5)))
struct TaskMetricsTests {
    private let resource = Resource(size: 100_000)

    @Test func `lookup, connect, TLS, first byte and duration are in that order`() async throws {
        let origin = try ScriptedOrigin(tls: true)
        origin.route("/disk.bin", .resource(resource))
        let scene = try SessionScene()
        var configuration = scene.configuration
        configuration.settings.connection.allowsUntrustedCertificates = true
        let task = DownloadSession(configuration).downloadTask(
            with: try #require(URL(string: origin.url("/disk.bin"))),
            to: scene.target()
        )
        #expect(task.metrics == TaskMetrics())
        task.resume()
        _ = try await task.file
        let metrics = task.metrics
        let name = try #require(metrics.nameLookup)
        let connection = try #require(metrics.connect)
        let secured = try #require(metrics.secureConnection)
        let first = try #require(metrics.firstByte)
        #expect(name <= connection && connection < secured && secured < first)
        #expect(first < metrics.duration)
        #expect(metrics.bytesReceived == resource.size)
        #expect(metrics.transfers == 1 && metrics.segments == 1 && metrics.retries == 0)
        #expect(metrics.protocolVersion == "HTTP/1.1")
    }

    @Test func `metrics count a broken transfer and its retry`() async throws {
        let reply = Reply.resource(resource)
        let scene = try SessionScene(reply.afterBytes(50_000, .close).from(request: 2, reply))
        let task = DownloadSession(scene.configuration)
            .downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        #expect(try resource.verify(fileAt: try await task.file.path) == nil)
        #expect(task.metrics.transfers == 2 && task.metrics.retries == 1)
        #expect(task.metrics.segments == 2)
        #expect(task.metrics.bytesReceived == resource.size)
    }

    @Test func `an error states its code, whether to retry, and its cause`() async throws {
        let scene = try SessionScene(.hangUp(.reset))
        scene.origin.route("/gone", .status(404))
        var configuration = scene.configuration
        configuration.settings.retries = 0
        let session = DownloadSession(configuration)
        let broken = await #expect(throws: DownloadError.self) {
            try await session.download(try scene.url(), to: scene.target())
        }
        #expect(broken?.code == .network && broken?.isRetryable == true)
        #expect((broken?.cause as? NetworkFailure)?.message.isEmpty == false)
        let gone = await #expect(throws: DownloadError.self) {
            try await session.download(try scene.url("/gone"), to: scene.target())
        }
        #expect(gone?.code == .notFound && gone?.isRetryable == false)
        #expect(gone?.httpStatus == 404)
    }
}
