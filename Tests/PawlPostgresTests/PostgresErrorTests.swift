import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresErrorTests {
    private func failure(_ address: String) async throws -> PostgresError? {
        await PostgresConnection(try PostgresAddress(address)).failure("SELECT 1")
    }

    @Test func `a wrong password is refused with advice`() async throws {
        var settings = PostgresCluster.Settings()
        settings.needsPassword = true
        try await PostgresCluster.run(settings) { cluster in
            let address = cluster.address()
            let right = "\(address) password='\(PostgresCluster.password)'"
            #expect(try await failure(right) == nil)
            let wrong = try await failure("\(address) password=unlikely")
            #expect(wrong?.kind == .wrongPassword)
            #expect(wrong?.state == "28P01")
            #expect(wrong?.advice.contains("PGPASSFILE") == true)
            #expect(wrong?.description.contains("unlikely") == false)
            #expect(wrong?.message.contains("28P01") == false)
            #expect(wrong?.message.contains("LOCATION") == false)
            #expect(wrong?.message.hasSuffix("authentication failed for user \"pawl\"") == true)
            let none = try await failure("\(address) passfile=/nonexistent")
            #expect(none?.kind == .wrongPassword)
        }
    }

    @Test func `a missing database and a missing user are told apart`() async throws {
        let cluster = try await PostgresCluster.shared()
        let database = try await failure(cluster.address("missing"))
        #expect(database?.kind == .noDatabase)
        #expect(database?.message.contains("database \"missing\" does not exist") == true)
        #expect(database?.advice.contains("createdb") == true)
        let user = try await failure(cluster.address(user: "nobody-here"))
        #expect(user?.kind == .wrongPassword)
        #expect(user?.advice.contains("pg_hba.conf") == true)
    }

    @Test func `a user without rights is told what to grant`() async throws {
        let scene = try await PostgresScene()
        let owner = scene.connect()
        let name = "guest_\(scene.database)"
        try await owner.run("CREATE TABLE t (id bigint)")
        try await owner.run("CREATE ROLE \(name) LOGIN")
        let address = scene.cluster.address(scene.database, user: name)
        let guest = PostgresConnection(try PostgresAddress(address))
        for statement in ["SELECT * FROM t", "CREATE TABLE u (id bigint)"] {
            let refused = await guest.failure(statement)
            #expect(refused?.kind == .notPermitted)
            #expect(refused?.advice.contains("GRANT") == true)
        }
    }

    @Test func `changes of a server that takes none are refused with advice`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint)")
        try await connection.run("SET default_transaction_read_only = on")
        let refused = await connection.failure("INSERT INTO t VALUES (1)")
        #expect(refused?.kind == .readOnly)
        #expect(refused?.advice.contains("target_session_attrs=read-write") == true)
        #expect(refused?.isTemporary == false)
    }

    @Test(.enabled(if: MemoryDisk.isAvailable))
    func `a full disk of the database is an error of its own, and loses nothing`() async throws {
        guard let disk = try MemoryDisk(bytes: 4 << 20) else { return }
        // Only the table is on the small disk: without room for its log, a server ends.
        try await PostgresCluster.run { cluster in
            let connection = PostgresConnection(try PostgresAddress(cluster.address()))
            let folder = try cluster.makeFolder(on: disk)
            try await connection.run("CREATE TABLESPACE small LOCATION '\(folder)'")
            try await connection.run("CREATE TABLE t (name text) TABLESPACE small")
            try await connection.run("INSERT INTO t VALUES ('first')")
            let full = await connection.failure(
                "INSERT INTO t SELECT repeat('x', 1000) FROM generate_series(1, 10000)"
            )
            #expect(full?.kind == .diskFull)
            #expect(full?.state == "53100")
            #expect(full?.advice.contains("make room") == true)
            #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 1)
        }
    }

    @Test func `a server without room for another connection says so`() async throws {
        var settings = PostgresCluster.Settings()
        settings.lines = [
            "max_connections = 3", "superuser_reserved_connections = 0", "max_wal_senders = 0",
        ]
        try await PostgresCluster.run(settings) { cluster in
            let address = try PostgresAddress(cluster.address())
            let connections = (0..<3).map { _ in PostgresConnection(address) }
            for connection in connections { try await connection.run("SELECT 1") }
            let refused = await PostgresConnection(address).failure("SELECT 1")
            #expect(refused?.kind == .tooManyConnections)
            #expect(refused?.advice.contains("max_connections") == true)
            #expect(refused?.isTemporary == true)
        }
    }

    @Test func `conflicts of transactions are recognized, to be repeated`() async throws {
        let scene = try await PostgresScene()
        let (first, second) = (scene.connect(), scene.connect())
        try await first.run("CREATE TABLE t (id bigint, value bigint)")
        try await first.run("INSERT INTO t VALUES (1, 0), (2, 0)")
        for connection in [first, second] {
            try await connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try await connection.run("SELECT * FROM t")
        }
        try await first.run("UPDATE t SET value = 1 WHERE id = 1")
        try await first.run("COMMIT")
        let late = await second.failure("UPDATE t SET value = 2 WHERE id = 1")
        #expect(late?.kind == .conflict)
        #expect(late?.state == "40001")
        try await second.run("ROLLBACK")

        for (connection, id) in [(first, 1), (second, 2)] {
            try await connection.run("BEGIN")
            try await connection.run("UPDATE t SET value = 3 WHERE id = \(id)")
        }
        let update = "UPDATE t SET value = 4 WHERE id = "
        async let one = first.failure(update + "2")
        async let two = second.failure(update + "1")
        let failures = await [one, two].compactMap(\.self)
        #expect(failures.map(\.state) == ["40P01"])
        #expect(failures.map(\.kind) == [.conflict])
    }

    @Test func `a table that does not exist is an error of the schema`() async throws {
        let connection = try await PostgresScene().connect()
        #expect(await connection.failure("SELECT * FROM download")?.kind == .wrongSchema)
        #expect(await connection.failure("SELECT missing")?.kind == .wrongSchema)
        #expect(await connection.failure("SELECT missing()")?.kind == .wrongSchema)
    }
}
