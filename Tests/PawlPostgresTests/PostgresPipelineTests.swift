import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresPipelineTests {
    private let time = PostgresScene.time

    @Test func `statements run in the order in which they are sent`() async throws {
        let connection = try await PostgresScene().connect()
        try connection.send("CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY, value bigint)")
        for value in 0..<5_000 as Range<Int64> {
            try connection.send("INSERT INTO t (value) VALUES ($1)", [.integer(value)])
        }
        let sql = "SELECT count(*) FROM t WHERE value = id - 1"
        #expect(try await connection.value(sql, as: Int.self) == 5_000)
    }

    @Test func `the results of all statements come with the call that waits`() async throws {
        let connection = try await PostgresScene().connect()
        for value in 0..<10 as Range<Int64> {
            try connection.send("SELECT $1::bigint", [.integer(value)])
        }
        let results = try await connection.finish(within: time).value
        #expect(try results.map { try $0.first?.value(0, as: Int.self) } == Array(0..<10))
        #expect(try await connection.finish(within: time).value.isEmpty)
    }

    @Test func `the first error is reported by the next call, and what follows it is skipped`()
        async throws
    {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint PRIMARY KEY)")
        try connection.send("BEGIN")
        for id in [1, 2, 1, 3] as [Int64] {
            try connection.send("INSERT INTO t VALUES ($1)", [.integer(id)])
        }
        try connection.send("SELECT * FROM missing")
        let failure = await connection.failure("SELECT count(*) FROM t")
        #expect(failure?.kind == .constraint)
        #expect(failure?.state == "23505")
        #expect(failure?.constraint == "t_pkey")
        // The transaction is still open, and failed.
        #expect(!connection.isIdle)
        #expect(await connection.failure("SELECT 1")?.state == "25P02")
        try await connection.run("ROLLBACK")
        #expect(connection.isIdle)
        #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    @Test func `statements outside a transaction take effect together`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint PRIMARY KEY)")
        try connection.send("INSERT INTO t VALUES (1)")
        #expect(await connection.failure("INSERT INTO t VALUES (1)")?.kind == .constraint)
        #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 0)
        #expect(connection.isIdle)
    }

    @Test func `a statement that fails only when it is committed fails`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE a (id bigint PRIMARY KEY)")
        try await connection.run(
            "CREATE TABLE b (id bigint REFERENCES a DEFERRABLE INITIALLY DEFERRED)"
        )
        let failure = await connection.failure("INSERT INTO b VALUES (1)")
        #expect(failure?.kind == .constraint)
        #expect(failure?.constraint == "b_id_fkey")
        try await connection.run("INSERT INTO a VALUES (1)")
        try await connection.run("INSERT INTO b VALUES (1)")
    }

    @Test func `a transaction ends with a script that has its last statements`() async throws {
        let scene = try await PostgresScene()
        let (connection, reader) = (scene.connect(), scene.connect())
        try await connection.run("CREATE TABLE t (id bigint, name text)")
        try connection.send("BEGIN")
        try connection.send("INSERT INTO t VALUES ($1, $2)", [.integer(1), .text("it's")])
        let last = """
            INSERT INTO t VALUES (2, \(PostgresValue.text("x').").literal)) RETURNING id; COMMIT
            """
        let results = try await connection.script(last, within: time).value
        #expect(try results.first?.first?.value("id", as: Int.self) == 2)
        #expect(results.count == 2)
        #expect(connection.isIdle)
        let names = try await reader.run("SELECT name FROM t ORDER BY id").rows
        #expect(try names.map { try $0.value(0, as: String.self) } == ["it's", "x')."])
    }

    @Test func `a script after a failed statement is not sent`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint)")
        for begin in ["BEGIN", "SELECT 1"] {
            try connection.send(begin)
            try connection.send("INSERT INTO missing VALUES (1)")
            let script = await error {
                try await connection.script("INSERT INTO t VALUES (1); COMMIT", within: time).value
            }
            #expect(script?.kind == .wrongSchema)
            try await connection.run("ROLLBACK")
        }
        #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 0)
        #expect(connection.isIdle)
    }

    @Test func `threads wait for answers, too`() async throws {
        let connection = try await PostgresScene().connect()
        let found = Observed<Int?>(nil)
        try BlockingThread.start {
            let result = try? connection.query("SELECT 42", within: PostgresScene.time).wait()
            let value = try? result?.first?.value(0, as: Int.self)
            found.update { $0 = value ?? -1 }
        }
        #expect(await found.wait { $0 != nil } == 42)
    }

    @Test func `a statement with a syntax error fails, and the connection continues`() async throws
    {
        let connection = try await PostgresScene().connect()
        #expect(await connection.failure("SELEC 1")?.state == "42601")
        #expect(try await connection.value("SELECT 1", as: Int.self) == 1)
    }

    @Test func `a closed connection refuses calls`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("SELECT 1")
        connection.close()
        #expect(await connection.failure("SELECT 1")?.kind == .closed)
        #expect(await connection.failure("SELECT 1")?.kind == .closed)
        #expect(!connection.isIdle)
    }
}
