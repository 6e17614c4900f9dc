import Glibc
import PawlTesting

/// Servers of Debian that serve the folder `files` of their folder.
enum FileServers {
    static let files = "files"

    /// The name of the user who runs the tests, and the servers.
    static var user: String {
        getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "root"
    }

    /// Starts vsftpd, whose only account is `anonymous`.
    ///
    /// - Parameters:
    ///   - password: The password of the account; with `nil`, any.
    ///   - tls: Whether it demands TLS; `implicit` from the start.
    ///   - lines: More lines of its configuration.
    static func ftp(
        password: String? = nil,
        tls: TLS = .none,
        _ lines: String...
    ) async throws -> ServerProgram {
        guard let certificate = TestCertificate.localhost else {
            throw ServerFailure(description: "no certificate can be made")
        }
        return try await ServerProgram("vsftpd") { folder, port in
            if !folder.exists(files) { try folder.makeFolder(files) }
            var settings = [
                "listen=YES", "listen_port=\(port)", "listen_address=127.0.0.1", "background=NO",
                "run_as_launching_user=YES", "anonymous_enable=YES", "local_enable=NO",
                "anon_root=\(folder.path(files))", "xferlog_enable=NO", "seccomp_sandbox=NO",
            ]
            if let password {
                settings += [
                    "secure_email_list_enable=YES",
                    "email_password_file=\(try folder.write("passwords", password + "\n"))",
                ]
            }
            if tls != .none {
                settings += [
                    "ssl_enable=YES", "allow_anon_ssl=YES", "force_anon_logins_ssl=YES",
                    "force_anon_data_ssl=YES", "implicit_ssl=\(tls == .implicit ? "YES" : "NO")",
                    "rsa_cert_file=\(try folder.write("cert.pem", certificate.pem))",
                    "rsa_private_key_file=\(try folder.write("key.pem", certificate.keyPEM))",
                ]
            }
            let text = (settings + lines).joined(separator: "\n") + "\n"
            return [try folder.write("vsftpd.conf", text)]
        }
    }

    enum TLS { case none, explicit, implicit }

    /// Starts sshd for this user, who signs in with the key `user`; its own key is `host`.
    ///
    /// `lines` come before all others of its configuration, so that they replace them.
    static func ssh(_ lines: String...) async throws -> ServerProgram {
        let folder = try ScratchFolder()
        try folder.makeFolder(files)
        for name in ["host", "user", "other"] {
            let made = try await ProcessRunner.run(
                "ssh-keygen",
                ["-q", "-t", "ed25519", "-N", "", "-f", folder.path(name)]
            )
            guard made.status == .code(0) else { throw ServerFailure(description: made.errors) }
        }
        // Debian's sshd looks for this folder when it is started by root.
        if getuid() == 0 { mkdir("/run/sshd", 0o755) }
        return try await ServerProgram("sshd", folder: folder) { folder, port in
            let settings = """
                ListenAddress 127.0.0.1:\(port)
                HostKey \(folder.path("host"))
                AuthorizedKeysFile \(folder.path("user.pub"))
                StrictModes no
                UsePAM no
                PidFile none
                PasswordAuthentication no
                PermitRootLogin yes
                MaxStartups 100
                Subsystem sftp internal-sftp

                """
            let text = lines.map { $0 + "\n" }.joined() + settings
            return ["-D", "-e", "-f", try folder.write("sshd_config", text)]
        }
    }
}
