import Glibc

/// An nginx server with TLS over its own folder: a real HTTP/2 server.
///
/// It stops when the object is released.
package final class NginxServer: Sendable {
    package let port: UInt16
    /// The path of the certificate in PEM, which is its own authority.
    package let authority: String
    private let folder: ScratchFolder
    private let process: ProcessRunner

    /// Starts nginx, as `scripts/setup --tests` installs it.
    ///
    /// `lines` are added to the server block.
    package init(http2: Bool = true, _ lines: String = "") async throws {
        folder = try ScratchFolder()
        guard let certificate = TestCertificate.localhost else {
            throw ServerFailure(description: "no certificate can be made")
        }
        authority = try folder.write("certificate.pem", certificate.pem)
        try folder.write("key.pem", certificate.keyPEM)
        var reason = ""
        for _ in 0..<Self.attempts {
            let socket = try ListeningSocket(port: 0, onAllAddresses: false)
            Glibc.close(socket.descriptor)
            let settings = Self.settings(folder.path, socket.port, http2: http2, lines)
            let process = try ProcessRunner(
                access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : "nginx",
                ["-e", "stderr", "-c", try folder.write("nginx.conf", settings)]
            )
            // Another program may have taken the port in the meantime.
            guard await process.waitForOutput(containing: "start worker process ") else {
                reason = process.errors
                continue
            }
            port = socket.port
            self.process = process
            return
        }
        throw ServerFailure(description: "nginx does not start: \(reason)")
    }

    deinit { process.signal(SIGTERM) }

    /// Writes a file to the served folder.
    package func put(_ name: String, _ bytes: [UInt8]) throws { try folder.write(name, bytes) }

    package func url(_ name: String, host: String = "127.0.0.1") -> String {
        "https://\(host):\(port)/\(name)"
    }

    /// Stops the server when all its connections are idle, and returns its requests.
    package func close() async throws -> [NginxRequest] {
        process.signal(SIGQUIT)
        await process.waitForExit()
        return try folder.readText("access.log").split(separator: "\n").compactMap(
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

/// The failure of a server to start.
package struct ServerFailure: Error, CustomStringConvertible {
    package let description: String
}

extension NginxServer {
    private static let attempts = 5

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
