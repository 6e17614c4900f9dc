import Glibc

/// A squid proxy with logins.
///
/// It must be stopped, because squid leaves shared memory behind when it is killed.
package final class SquidServer: Sendable {
    /// How clients sign in.
    package enum ProxyLogin: Sendable {
        case none
        /// Digest, as `me` with this password.
        case digest(password: String)
        case negotiate(KerberosRealm)
        /// Either, as many proxies of companies offer it.
        case negotiateOrDigest(KerberosRealm, password: String)
    }

    /// What the server is.
    package enum Role: Sendable {
        case proxy
        /// A proxy to which clients speak TLS, with the certificate of ``TestCertificate``.
        case tlsProxy
        /// The server itself, in front of the origin at this port.
        case origin(port: UInt16)
    }

    /// A path that contains this text is refused with the status 403.
    package static let refused = "/forbidden"

    /// The port to which the proxy does not connect.
    package static let closedPort: UInt16 = 1

    private let server: ServerProgram

    package var port: UInt16 { server.port }

    private init(_ server: ServerProgram) { self.server = server }

    /// Runs a test with the server.
    package static func run(
        as role: Role = .proxy,
        _ login: ProxyLogin,
        _ test: (SquidServer) async throws -> Void
    ) async throws {
        let folder = try ScratchFolder()
        // As root, squid becomes another user.
        chmod(folder.path, 0o755)
        // The cache of replayed tickets would be in TMPDIR, which that user may not be able to change.
        let environment: [String: String?] = ["KRB5RCACHENAME": "none:"]
        let server = try await ServerProgram(
            "squid",
            folder: folder,
            environment: environment
        ) { folder, port in
            let lines = try listening(role, port, folder) + logins(login, folder) + common(folder)
            let file = try folder.write("squid.conf", lines.joined(separator: "\n") + "\n")
            // The name is that of its shared memory.
            return ["-N", "-d", "1", "-n", "pawl\(getpid())x\(port)", "-f", file]
        }
        let squid = SquidServer(server)
        do {
            try await test(squid)
        } catch {
            await server.stop(SIGTERM)
            throw error
        }
        await server.stop(SIGTERM)
    }

    private static func listening(
        _ role: Role,
        _ port: UInt16,
        _ folder: ScratchFolder
    ) throws -> [String] {
        switch role {
        case .proxy: return ["http_port 127.0.0.1:\(port)"]
        case .origin(let origin):
            return [
                "http_port 127.0.0.1:\(port) accel defaultsite=localhost no-vhost",
                "cache_peer 127.0.0.1 parent \(origin) 0 no-query originserver",
            ]
        case .tlsProxy:
            guard let certificate = TestCertificate.localhost else {
                throw ServerFailure(description: "no certificate can be made")
            }
            let pem = try folder.write("cert.pem", certificate.pem)
            let key = try folder.write("key.pem", certificate.keyPEM)
            return ["https_port 127.0.0.1:\(port) tls-cert=\(pem) tls-key=\(key)"]
        }
    }

    private static func logins(_ login: ProxyLogin, _ folder: ScratchFolder) throws -> [String] {
        let helpers = "/usr/lib/squid/"
        var lines = [
            "acl refused urlpath_regex \(refused)", "http_access deny refused",
            "acl closed port \(closedPort)", "http_access deny closed",
        ]
        func negotiate(_ realm: KerberosRealm) {
            lines += [
                "auth_param negotiate program \(helpers)negotiate_kerberos_auth -k \(realm.keytab) "
                    + "-s GSS_C_NO_NAME",
                "auth_param negotiate children 4",
            ]
        }
        func digest(_ password: String) throws {
            let file = try folder.write("passwords", "me:\(password)\n")
            chmod(file, 0o644)
            lines += [
                "auth_param digest program \(helpers)digest_file_auth \(file)",
                "auth_param digest realm proxy", "auth_param digest children 1",
            ]
        }
        switch login {
        case .none: return lines + ["http_access allow all"]
        case .digest(let password): try digest(password)
        case .negotiate(let realm): negotiate(realm)
        case .negotiateOrDigest(let realm, let password):
            negotiate(realm)
            try digest(password)
        }
        return lines + [
            "acl known proxy_auth REQUIRED", "http_access allow known", "http_access deny all",
        ]
    }

    private static func common(_ folder: ScratchFolder) -> [String] {
        let lines = [
            "cache deny all", "cache_mem 0", "memory_cache_shared off", "access_log none",
            "cache_log /dev/null", "pid_filename none", "pinger_enable off",
            "shutdown_lifetime 0 seconds", "visible_hostname localhost",
            "coredump_dir \(folder.path)",
        ]
        return getuid() == 0 ? lines + ["cache_effective_user proxy"] : lines
    }
}
