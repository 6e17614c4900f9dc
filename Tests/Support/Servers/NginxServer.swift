import Glibc

/// An nginx server with TLS over its own folder: a real HTTP/2 server.
///
/// It stops when the object is released.
package final class NginxServer: Sendable {
    /// The path of the certificate in PEM, which is its own authority.
    package let authority: String
    private let server: ServerProgram

    /// Starts nginx.
    ///
    /// `lines` are added to the server block.
    package init(
        http2: Bool = true,
        certificate: TestCertificate? = .localhost,
        _ lines: String = ""
    ) async throws {
        let folder = try ScratchFolder()
        guard let certificate else {
            throw ServerFailure(description: "no certificate can be made")
        }
        authority = try folder.write("certificate.pem", certificate.pem)
        try folder.write("key.pem", certificate.keyPEM)
        server = try await ServerProgram(
            "nginx",
            ready: "start worker process ",
            folder: folder
        ) { folder, port in
            let settings = Self.settings(folder.path, port, http2: http2, lines)
            return ["-e", "stderr", "-c", try folder.write("nginx.conf", settings)]
        }
    }

    package var port: UInt16 { server.port }

    /// Writes a file to the served folder.
    package func put(_ name: String, _ bytes: [UInt8]) throws {
        try server.folder.write(name, bytes)
    }

    package func makeFolder(_ name: String) throws { try server.folder.makeFolder(name) }

    /// The path of a file in the served folder.
    package func path(_ name: String) -> String { server.folder.path(name) }

    package func url(_ name: String, host: String = "127.0.0.1") -> String {
        "https://\(host):\(port)/\(name)"
    }

    /// Stops the server when all its connections are idle, and returns its requests.
    package func close() async throws -> [NginxRequest] {
        await server.stop(SIGQUIT)
        return try server.folder.readText("access.log").split(separator: "\n").compactMap(
            NginxRequest.init
        )
    }
}

/// One request in nginx's log.
package struct NginxRequest: Sendable {
    /// The number of the connection.
    package let connection: Int
    /// `HTTP/2.0` or `HTTP/1.1`.
    package let version: String
    package let status: Int
    package let path: String

    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count == 4, let connection = Int(words[0]), let status = Int(words[2]) else {
            return nil
        }
        self.connection = connection
        version = String(words[1])
        self.status = status
        path = String(words[3])
    }
}

extension NginxServer {
    private static func settings(
        _ folder: String,
        _ port: UInt16,
        http2: Bool,
        _ lines: String
    ) -> String {
        """
        daemon off;
        \(getuid() == 0 ? "user root;" : "")
        worker_processes 1;
        pid \(folder)/nginx.pid;
        error_log stderr notice;
        events { worker_connections 512; }
        http {
            log_format short '$connection $server_protocol $status $uri';
            access_log \(folder)/access.log short;
            types { }
            default_type application/octet-stream;
            client_body_temp_path \(folder)/body;
            proxy_temp_path \(folder)/proxy;
            fastcgi_temp_path \(folder)/fastcgi;
            uwsgi_temp_path \(folder)/uwsgi;
            scgi_temp_path \(folder)/scgi;
            server {
                listen 127.0.0.1:\(port) ssl \(http2 ? "http2" : "");
                ssl_certificate \(folder)/certificate.pem;
                ssl_certificate_key \(folder)/key.pem;
                root \(folder);
                \(lines)
            }
        }

        """
    }
}
