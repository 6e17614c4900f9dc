import Pawl
import PawlCore
import Synchronization
import Testing
import struct FoundationEssentials.URL

@Suite(.timeLimit(.minutes(5)))
struct S3TransportTests {
    /// Returns the request over HTTP in which a request for an object results.
    private func sent(to endpoint: String, _ hosts: SecureHosts? = nil) throws -> TransferRequest {
        let network = RecordingTransport()
        let transport = S3Transport(
            over: network,
            surroundings: S3Surroundings(variable: { _ in nil }, file: { _ in nil }),
            clock: { 1_000_000_000 }
        )
        var request = TransferRequest(url: try #require(URL(string: "s3://bucket/key")))
        request.connection.s3.endpoint = URL(string: endpoint)
        request.credentials = Credentials(name: "AKID", password: "s3cret")
        request.secureHosts = hosts
        _ = transport.start(request, sink: NoSink())
        return try #require(network.requests.first)
    }

    @Test(arguments: ["http://storage.example", "http://storage.example:443"])
    func `a request to a host that demands HTTPS is signed for that`(endpoint: String) throws {
        let hosts = SecureHosts(SecureHostList("storage.example \"unlimited\"", at: 0))
        let request = try sent(to: endpoint, hosts)
        let direct = try sent(to: "https://storage.example")
        #expect(request.url.scheme == "https")
        #expect(request.url.absoluteString.hasSuffix("storage.example/bucket/key"))
        #expect(request.fields.value("Authorization") == direct.fields.value("Authorization"))
        let plain = try sent(to: "http://storage.example:443")
        #expect(plain.fields.value("Authorization") != direct.fields.value("Authorization"))
    }
}

/// A network that notes what it is asked for, and never answers.
private final class RecordingTransport: Transport {
    private final class NoTransfer: Transfer {
        func cancel() {}
        func resume() {}
        func nudge() {}
    }

    private let sent = Mutex<[TransferRequest]>([])

    var requests: [TransferRequest] { sent.withLock { $0 } }

    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        sent.withLock { $0.append(request) }
        return NoTransfer()
    }
}

private final class NoSink: TransferSink {
    func transferReceived(_ head: ResponseHead) -> HeadDecision { .take }
    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision { .more }
    func transferEnded(_ end: TransferEnd) {}
}
