import Glibc

/// A Kerberos realm with the user `me` and the service `HTTP/localhost`, and its KDC on 127.0.0.1.
package final class KerberosRealm: Sendable {
    private static let name = "PAWL.TEST"

    /// The file with the key of the service.
    package let keytab: String
    private let folder: ScratchFolder
    private let server: ServerProgram
    private let settings: [String: String?]

    /// Creates the realm, and starts its KDC.
    package init() async throws {
        folder = try ScratchFolder()
        keytab = folder.path("keytab")
        let files = [
            "KRB5_CONFIG": folder.path("krb5.conf"), "KRB5_KDC_PROFILE": folder.path("kdc.conf"),
        ]
        settings = files
        // The service may run as another user.
        chmod(folder.path, 0o755)
        try Self.write(port: 1, to: folder)
        try await Self.create(folder, ProcessSettings(environment: files))
        server = try await ServerProgram(
            "krb5kdc",
            folder: folder,
            environment: files
        ) { folder, port in
            try Self.write(port: port, to: folder)
            return ["-n"]
        }
    }

    /// The environment of a user with a ticket, which this method gets.
    package func signedIn() async throws -> [String: String?] {
        let environment = self.environment(tickets: folder.path("tickets"))
        let kinit = try await ProcessRunner.run(
            "kinit",
            ["-k", "-t", folder.path("me"), "me"],
            ProcessSettings(environment: environment)
        )
        guard kinit.status == .code(0) else { throw ServerFailure(description: kinit.errors) }
        return environment
    }

    /// The environment of a user without a ticket.
    package var signedOut: [String: String?] { environment(tickets: folder.path("none")) }

    private func environment(tickets: String) -> [String: String?] {
        settings.merging(["KRB5CCNAME": "FILE:" + tickets]) { _, own in own }
    }

    private static func write(port: UInt16, to folder: ScratchFolder) throws {
        try folder.write(
            "krb5.conf",
            """
            [libdefaults]
            default_realm = \(name)
            dns_lookup_kdc = false
            dns_canonicalize_hostname = false
            rdns = false
            udp_preference_limit = 1
            [realms]
            \(name) = {
              kdc = 127.0.0.1:\(port)
            }
            [domain_realm]
            localhost = \(name)

            """
        )
        try folder.write(
            "kdc.conf",
            """
            [kdcdefaults]
            kdc_listen = 127.0.0.1:\(port)
            kdc_tcp_listen = 127.0.0.1:\(port)
            [realms]
            \(name) = {
              database_name = \(folder.path("principals"))
              key_stash_file = \(folder.path("stash"))
            }
            [logging]
            kdc = STDERR

            """
        )
    }

    private static func create(
        _ folder: ScratchFolder,
        _ settings: ProcessSettings
    ) async throws {
        let keys = [("HTTP/localhost", "keytab"), ("me", "me")]
        let commands = keys.flatMap { principal, file in
            ["addprinc -randkey \(principal)", "ktadd -k \(folder.path(file)) \(principal)"]
        }
        var input = settings
        input.input = Array((commands.joined(separator: "\n") + "\n").utf8)
        for (program, arguments, settings) in [
            ("/usr/sbin/kdb5_util", ["create", "-s", "-r", name, "-P", "master"], settings),
            ("/usr/sbin/kadmin.local", ["-r", name], input),
        ] {
            let made = try await ProcessRunner.run(program, arguments, settings)
            guard made.status == .code(0) else { throw ServerFailure(description: made.errors) }
        }
        for (_, file) in keys {
            guard folder.exists(file) else {
                throw ServerFailure(description: "kadmin.local makes no key of \(file)")
            }
            chmod(folder.path(file), 0o644)
        }
    }
}
