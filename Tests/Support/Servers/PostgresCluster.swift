import Glibc
import Synchronization

/// A PostgreSQL server with databases of its own, on a Unix socket and on 127.0.0.1.
///
/// It ends with the test run, even if that is killed. It must be stopped, because PostgreSQL leaves
/// shared memory behind when it is killed.
package final class PostgresCluster: Sendable {
    /// How a server differs from the usual one, which trusts everybody and keeps nothing safe from
    /// a power cut.
    package struct Settings: Sendable {
        /// Whether a commit waits for the disk.
        package var isDurable = false
        /// Whether users need their password.
        package var needsPassword = false
        /// The certificate for TLS over TCP, where clients then have to use TLS.
        package var certificate: TestCertificate?
        /// Whether it is a standby, which follows no other server.
        package var isStandby = false
        /// Further lines of `postgresql.conf`.
        package var lines: [String] = []

        package init() {}
    }

    /// The user who may do everything.
    package static let user = "pawl"
    /// The user's password, for servers that need it.
    package static let password = "open sesame"
    private static let sharedCluster = SharedValue { try await PostgresCluster() }
    private static let template = SharedValue { try await PostgresTemplate() }
    private static let lastDatabase = Atomic<Int>(0)

    /// The port on 127.0.0.1, which is also a part of the socket's name.
    package let port: UInt16
    private let folder: ScratchFolder
    private let ready: String
    private let server: Mutex<ServerProgram>
    private let afterwards: AfterTheRun

    /// Returns the server that the tests of this process share, each with a database of its own.
    package static func shared() async throws -> PostgresCluster { try await sharedCluster.get() }

    /// Runs a test with a server of its own, and stops it.
    package static func run(
        _ settings: Settings = Settings(),
        _ test: (PostgresCluster) async throws -> Void
    ) async throws {
        let cluster = try await PostgresCluster(settings)
        do {
            try await test(cluster)
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
    }

    private init(_ settings: Settings = Settings()) async throws {
        folder = try ScratchFolder()
        // Another user must find the socket and the data.
        chmod(folder.path, 0o755)
        PostgresPrograms.give(folder.path)
        let data = folder.path("data")
        let file = "\(data)/postmaster.pid"
        afterwards = try AfterTheRun(
            """
            if [ -e '\(file)' ]; then
                server=$(head -n 1 '\(file)')
                kill -QUIT "$server"
                tail --pid="$server" -f /dev/null
            fi
            rm -rf '\(folder.path)'
            """
        )
        try await Self.template.get().copy(to: data)
        try Self.configure(settings, folder)
        let kind = settings.isStandby ? "read-only connections" : "connections"
        ready = "database system is ready to accept \(kind)"
        let server = try await Self.start(folder, port: nil, ready)
        port = server.port
        self.server = Mutex(server)
    }

    /// The number of the server's first process, which accepts connections.
    package var process: Int32 { server.withLock { $0 }.identifier }

    /// The path of the server's certificate in PEM, which is its own authority.
    package var authority: String { folder.path("certificate.pem") }

    /// The folder of the socket.
    package var folderPath: String { folder.path }

    /// Creates a folder on a disk, into which the server may write.
    package func makeFolder(on disk: MemoryDisk) throws -> String {
        for path in ["\(disk.path)/..", disk.path] { chmod(path, 0o755) }
        let path = "\(disk.path)/tables"
        guard mkdir(path, 0o700) == 0 else { throw ServerFailure(description: "no \(path)") }
        PostgresPrograms.give(path)
        return path
    }

    /// What the server has written to its log.
    package var log: String { server.withLock { $0 }.log }

    /// Returns the address of a database, by the socket.
    package func address(_ database: String = "postgres", user: String = user) -> String {
        "host=\(folder.path) port=\(port) user=\(user) dbname=\(database)"
    }

    /// Creates an empty database, and returns its name.
    package func makeDatabase() async throws -> String {
        let name = "test\(Self.lastDatabase.add(1, ordering: .relaxed).newValue)"
        try await run("CREATE DATABASE \(name) TEMPLATE template0")
        return name
    }

    /// Runs statements as `psql` does, and returns its output: one line per row.
    @discardableResult
    package func run(_ sql: String, in database: String = "postgres") async throws -> String {
        let arguments = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]
        let address = address(database) + " password='\(Self.password)'"
        return try await PostgresPrograms.run(
            "psql",
            arguments + ["--set=ON_ERROR_STOP=1", "--dbname=\(address)", "--command=\(sql)"]
        )
    }

    /// Stops the server at once, as a crash does, but without leaving shared memory behind.
    package func stop() async { await server.withLock { $0 }.stop(SIGQUIT) }

    /// Starts the server again after ``stop()``.
    package func start() async throws {
        let server = try await Self.start(folder, port: port, ready)
        self.server.withLock { $0 = server }
    }

    // MARK: Files

    private static func configure(_ settings: Settings, _ folder: ScratchFolder) throws {
        var lines = [
            "listen_addresses = '127.0.0.1'", "unix_socket_directories = '\(folder.path)'",
            // Many tests share a server.
            "shared_buffers = 16MB", "max_connections = 300", "lc_messages = 'C'",
        ]
        if !settings.isDurable {
            lines += ["fsync = off", "synchronous_commit = off", "full_page_writes = off"]
        }
        let method = settings.needsPassword ? "scram-sha-256" : "trust"
        var rules = ["local all all \(method)"]
        if let certificate = settings.certificate {
            let key = try folder.write("key.pem", certificate.keyPEM)
            try folder.write("certificate.pem", certificate.pem)
            chmod(key, 0o600)
            PostgresPrograms.give(key)
            lines += [
                "ssl = on", "ssl_key_file = '\(key)'",
                "ssl_cert_file = '\(folder.path("certificate.pem"))'",
            ]
            rules.append("hostssl all all 127.0.0.1/32 \(method)")
        } else {
            rules.append("host all all 127.0.0.1/32 \(method)")
        }
        if settings.isStandby {
            PostgresPrograms.give(try folder.write("data/standby.signal", ""))
        }
        try folder.write(
            "data/postgresql.conf",
            (lines + settings.lines).joined(separator: "\n") + "\n"
        )
        try folder.write("data/pg_hba.conf", rules.joined(separator: "\n") + "\n")
    }

    private static func start(
        _ folder: ScratchFolder,
        port: UInt16?,
        _ ready: String
    ) async throws -> ServerProgram {
        let (program, beginning) = try PostgresPrograms.command("postgres", [])
        return try await ServerProgram(
            program,
            ready: ready,
            folder: folder,
            timeLimit: AfterTheRun.timeLimit
        ) { folder, free in
            beginning + ["-D", folder.path("data"), "-p", "\(port ?? free)"]
        }
    }
}

/// A new server's files, made once per test run, because that takes a second.
private final class PostgresTemplate: Sendable {
    private let folder: ScratchFolder
    private let afterwards: AfterTheRun

    init() async throws {
        folder = try ScratchFolder()
        afterwards = try AfterTheRun("rm -rf '\(folder.path)'")
        let password = try folder.write("password", PostgresCluster.password + "\n")
        PostgresPrograms.give(folder.path)
        try await PostgresPrograms.run(
            "initdb",
            [
                "--pgdata=\(folder.path("data"))", "--username=\(PostgresCluster.user)",
                "--pwfile=\(password)", "--auth=trust", "--encoding=UTF8", "--locale=C",
                "--no-sync", "--no-instructions",
            ]
        )
    }

    /// Copies the files to a folder that does not exist.
    func copy(to path: String) async throws {
        let copy = try await ProcessRunner.run("cp", ["-a", folder.path("data"), path])
        guard copy.status.isSuccess else { throw ServerFailure(description: copy.errors) }
    }
}
