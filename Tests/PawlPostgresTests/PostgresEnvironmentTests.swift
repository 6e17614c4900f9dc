import Glibc
import PawlPostgres
import PawlTesting
import Testing

/// The program PostgresProbe connects, because an environment belongs to a whole process.
@Suite(.timeLimit(.minutes(5)))
struct PostgresEnvironmentTests {
    private func probe(
        _ address: String,
        _ environment: [String: String?],
        _ how: String = "60000"
    ) async throws -> String {
        let none: [String: String?] = [
            "PGHOST": nil, "PGPORT": nil, "PGUSER": nil, "PGDATABASE": nil, "PGPASSWORD": nil,
        ]
        let run = try await ProcessRunner.run(
            BuiltProduct.path("PostgresProbe"),
            [address, how],
            ProcessSettings(environment: none.merging(environment) { $1 })
        )
        return run.output
    }

    @Test func `what the address leaves out comes from the variables of libpq`() async throws {
        let scene = try await PostgresScene()
        let found = try await probe(
            "",
            [
                "PGHOST": scene.cluster.folderPath, "PGPORT": "\(scene.cluster.port)",
                "PGUSER": PostgresCluster.user, "PGDATABASE": scene.database,
            ]
        )
        #expect(found == "pawl \(scene.database) false\n")
    }

    @Test func `a deadline holds while libpq waits for something else than the server`()
        async throws
    {
        let folder = try ScratchFolder()
        let pipe = folder.path("services")
        #expect(mkfifo(pipe, 0o600) == 0)
        // libpq opens the file before it connects, and a pipe is open only when it has a writer.
        let found = try await probe("service=queue", ["PGSERVICEFILE": pipe], "200")
        #expect(found.contains("the server does not answer"), "\(found)")
    }

    @Test func `a listener reports that the system has no thread left`() async throws {
        let found = try await probe("host=127.0.0.1", [:], "no-thread")
        #expect(found == "the system has no thread left for a connection\n")
    }

    @Test func `a service file names the database, and the file of passwords the password`()
        async throws
    {
        var settings = PostgresCluster.Settings()
        settings.needsPassword = true
        try await PostgresCluster.run(settings) { cluster in
            let folder = try ScratchFolder()
            let services = try folder.write(
                "services",
                """
                [queue]
                host=127.0.0.1
                port=\(cluster.port)
                user=\(PostgresCluster.user)
                dbname=postgres

                """
            )
            let passwords = try folder.write(
                "passwords",
                "127.0.0.1:\(cluster.port):*:\(PostgresCluster.user):\(PostgresCluster.password)\n"
            )
            chmod(passwords, 0o600)
            let files: [String: String?] = ["PGSERVICEFILE": services, "PGPASSFILE": passwords]
            #expect(try await probe("service=queue", files) == "pawl postgres false\n")
            #expect(try await probe("postgres://?service=queue", files) == "pawl postgres false\n")
            let named = files.merging(["PGSERVICE": "queue"]) { $1 }
            #expect(try await probe("", named) == "pawl postgres false\n")

            let missing = try await probe("service=missing", files)
            #expect(missing.contains("service \"missing\" not found"))
            #expect(missing.contains("check the address, and the service file"))
            let password = files.merging(["PGPASSWORD": PostgresCluster.password]) { $1 }
            #expect(try await probe("service=queue", password) == "pawl postgres false\n")
            let unknown = files.merging(["PGPASSFILE": "/nonexistent"]) { $1 }
            let none = try await probe("service=queue", unknown)
            #expect(none.contains("check the user and the password"))
        }
    }

    @Test func `certificates are checked as the variables demand`() async throws {
        let certificate = try #require(TestCertificate.localhost)
        var settings = PostgresCluster.Settings()
        settings.certificate = certificate
        try await PostgresCluster.run(settings) { cluster in
            let found = try await probe(
                "host=localhost hostaddr=127.0.0.1 port=\(cluster.port) user=pawl dbname=postgres",
                ["PGSSLMODE": "verify-full", "PGSSLROOTCERT": cluster.authority]
            )
            #expect(found == "pawl postgres true\n")
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct PostgresTLSTests {
    private func address(_ cluster: PostgresCluster, _ rest: String) throws -> PostgresAddress {
        try PostgresAddress(
            "host=localhost hostaddr=127.0.0.1 port=\(cluster.port) user=pawl dbname=postgres \(rest)"
        )
    }

    @Test func `a certificate is accepted only from its authority and for its host`() async throws {
        let certificate = try #require(TestCertificate.localhost)
        let other = try #require(TestCertificate.otherHost)
        var settings = PostgresCluster.Settings()
        settings.certificate = certificate
        settings.needsPassword = true
        try await PostgresCluster.run(settings) { cluster in
            let folder = try ScratchFolder()
            let wrong = try folder.write("wrong.pem", other.pem)
            let password = "password='\(PostgresCluster.password)'"
            let right = PostgresConnection(
                try address(
                    cluster,
                    "\(password) sslmode=verify-full sslrootcert=\(cluster.authority)"
                )
            )
            let isEncrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            #expect(try await right.value(isEncrypted, as: Bool.self))
            // More than one record of TLS.
            let long = "SELECT repeat('x', 1000000)"
            #expect(try await right.value(long, as: String.self).utf8.count == 1_000_000)

            let authority = await PostgresConnection(
                try address(cluster, "\(password) sslmode=verify-full sslrootcert=\(wrong)")
            ).failure("SELECT 1")
            #expect(authority?.kind == .tlsFailed)
            #expect(authority?.advice.contains("sslrootcert") == true)
            let missing = await PostgresConnection(
                try address(cluster, "\(password) sslmode=verify-full sslrootcert=/nonexistent")
            ).failure("SELECT 1")
            #expect(missing?.kind == .tlsFailed)
            let plain = await PostgresConnection(
                try address(cluster, "\(password) sslmode=disable")
            ).failure("SELECT 1")
            #expect(plain?.state == "28000")
        }
    }

    @Test func `a certificate for another host is refused`() async throws {
        let certificate = try #require(TestCertificate.otherHost)
        var settings = PostgresCluster.Settings()
        settings.certificate = certificate
        try await PostgresCluster.run(settings) { cluster in
            let root = "sslrootcert=\(cluster.authority)"
            let refused = await PostgresConnection(
                try address(cluster, "sslmode=verify-full \(root)")
            ).failure("SELECT 1")
            #expect(refused?.kind == .tlsFailed)
            #expect(refused?.message.contains("other.example") == true)
            let known = PostgresConnection(try address(cluster, "sslmode=verify-ca \(root)"))
            #expect(try await known.value("SELECT 1", as: Int.self) == 1)
        }
    }

    @Test func `a server without TLS is refused where TLS is demanded`() async throws {
        let cluster = try await PostgresCluster.shared()
        let refused = await PostgresConnection(
            try address(cluster, "sslmode=require")
        ).failure("SELECT 1")
        #expect(refused?.kind == .tlsFailed)
    }
}
