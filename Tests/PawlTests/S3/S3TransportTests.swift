import Pawl
import PawlCore
import Synchronization
import Testing
import struct FoundationEssentials.URL

@Suite(.timeLimit(.minutes(5)))
struct S3TransportTests {
    /// Returns the request over HTTP in which a request for an object results.
    private func sent(
        to endpoint: String,
        _ hosts: SecureHosts? = nil,
        _ change: (inout TransferRequest) -> Void = { _ in }
    ) throws -> TransferRequest {
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
        change(&request)
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

    private static let digestOfAbc =
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    private static let digestOfNothing =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func payload(
        to endpoint: String,
        _ change: (inout TransferRequest) -> Void
    ) throws -> [String] {
        try sent(to: endpoint, nil, change).fields.filter { $0.hasName("x-amz-content-sha256") }
            .map(\.value)
    }

    @Test func `a body is signed if nothing else protects it`() throws {
        let (plain, secure) = ("http://storage.example", "https://storage.example")
        let bodies: [(inout TransferRequest) -> Void] = [
            { $0.body = Array("abc".utf8) }, { $0.bodySource = MemoryBody(Array("abc".utf8)) },
        ]
        for body in bodies {
            let change = { (request: inout TransferRequest) in
                request.method = "PUT"
                body(&request)
            }
            #expect(try payload(to: plain, change) == [Self.digestOfAbc])
            #expect(try payload(to: secure, change) == ["UNSIGNED-PAYLOAD"])
        }
        #expect(try payload(to: plain) { $0.method = "POST" } == [Self.digestOfNothing])
        #expect(try payload(to: plain) { _ in } == ["UNSIGNED-PAYLOAD"])
    }

    @Test(arguments: ["http://storage.example", "https://storage.example"])
    func `what a request states of its body is signed, and sent once`(endpoint: String) throws {
        let stated = try payload(to: endpoint) { request in
            request.method = "PUT"
            request.body = [1]
            request.fields.append(HTTPField(name: "X-Amz-Content-SHA256", value: "STREAMING-X"))
        }
        #expect(stated == ["STREAMING-X"])
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
