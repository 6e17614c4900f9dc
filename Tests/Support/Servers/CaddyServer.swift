import Glibc

import struct FoundationEssentials.Data
import class FoundationEssentials.JSONDecoder

/// A Caddy server with TLS over its own folder: an HTTP/2 server that shares no code with nginx and
/// libcurl.
///
/// It stops when the object is released.
package final class CaddyServer: Sendable {
    private static let files = "files"
    private static let log = "access.log"

    /// The path of the certificate in PEM, which is its own authority.
    package let authority: String
    private let server: ServerProgram

    package init() async throws {
        let folder = try ScratchFolder()
        guard let certificate = TestCertificate.localhost else {
            throw ServerFailure(description: "no certificate can be made")
        }
        try folder.makeFolder(Self.files)
        authority = try folder.write("certificate.pem", certificate.pem)
        let key = try folder.write("key.pem", certificate.keyPEM)
        let pair = "\(authority) \(key)"
        // It would keep its state in the user's folders.
        let state = Dictionary(
            uniqueKeysWithValues: ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].map {
                ($0, Optional(folder.path))
            }
        )
        server = try await ServerProgram("caddy", folder: folder, environment: state) {
            folder,
            port in
            let settings = Self.settings(folder, port, certificateAndKey: pair)
            let file = try folder.write("Caddyfile", settings)
            return ["run", "--adapter", "caddyfile", "--config", file]
        }
    }

    /// Writes a file to the served folder.
    package func put(_ name: String, _ bytes: [UInt8]) throws {
        try server.folder.write("\(Self.files)/\(name)", bytes)
    }

    package func url(_ name: String) -> String { "https://127.0.0.1:\(server.port)/\(name)" }

    /// Stops the server when all its connections are idle, and returns its requests.
    package func close() async throws -> [CaddyRequest] {
        await server.stop(SIGTERM)
        return try server.folder.readText(Self.log).split(separator: "\n").map {
            try JSONDecoder().decode(CaddyRequest.self, from: Data($0.utf8))
        }
    }

    private static func settings(
        _ folder: ScratchFolder,
        _ port: UInt16,
        certificateAndKey pair: String
    ) -> String {
        """
        {
            admin off
            auto_https off
        }
        https://127.0.0.1:\(port) {
            bind 127.0.0.1
            tls \(pair)
            root * \(folder.path(files))
            file_server
            log {
                output file \(folder.path(log))
                format json
            }
        }

        """
    }
}

/// One request in Caddy's log.
package struct CaddyRequest: Sendable, Decodable {
    package struct Details: Sendable, Decodable {
        /// `HTTP/2.0` or `HTTP/1.1`.
        package let proto: String
        /// The port of the client, which tells its connections apart.
        package let remotePort: String

        private enum CodingKeys: String, CodingKey {
            case proto
            case remotePort = "remote_port"
        }
    }

    package let request: Details
    package let status: Int
}
