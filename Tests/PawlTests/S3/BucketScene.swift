import Pawl
import PawlTesting
import Testing
import struct FoundationEssentials.URL

/// The services that the tests of a bucket run against.
enum BucketKind: String, CaseIterable, Sendable {
    case scripted, moto

    static var available: [BucketKind] { MotoServer.isInstalled ? allCases : [.scripted] }
}

/// A service with the bucket `photos`, and a client of it.
final class BucketScene: Sendable {
    let client: BucketClient
    /// The service if it is the scripted one.
    let scripted: ScriptedBucket?

    init(_ kind: BucketKind) async throws {
        switch kind {
        case .scripted:
            let bucket = try ScriptedBucket()
            scripted = bucket
            client = BucketClient(bucket)
        case .moto:
            let server = try await MotoServer()
            scripted = nil
            client = BucketClient(
                port: server.port,
                credentials: S3Credentials(keyID: "test", secret: "test"),
                service: server
            )
        }
    }

    var endpoint: String { "http://127.0.0.1:\(client.port)" }

    /// A request of today's client for an `s3:` URL.
    func request(_ url: String) throws -> DownloadRequest {
        var request = DownloadRequest(try #require(URL(string: url)))
        let (endpoint, credentials) = (URL(string: endpoint), client.credentials)
        request.adjust { settings in
            settings.connection.s3.endpoint = endpoint
            settings.connection.s3.region = "us-east-1"
            settings.connection.proxy = .none
            settings.credentials = Credentials(
                name: credentials.keyID,
                password: credentials.secret
            )
            settings.connections = .fixed(4)
        }
        return request
    }
}

extension BucketClient {
    init(_ bucket: ScriptedBucket) {
        self.init(
            port: bucket.port,
            credentials: S3Credentials(
                keyID: bucket.credentials.keyID,
                secret: bucket.credentials.secret
            ),
            service: bucket
        )
    }
}
