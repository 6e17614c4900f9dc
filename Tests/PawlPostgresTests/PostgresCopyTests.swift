import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresCopyTests {
    private let time = PostgresScene.time

    private func copy(_ connection: PostgresConnection) throws -> PostgresCopy {
        try connection.copy("COPY t FROM STDIN", stallTime: time)
    }

    @Test func `100,000 rows are copied`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint, name text)")
        let copy = try copy(connection)
        for id in 1...100_000 as ClosedRange<Int64> {
            try await copy.write(row: [.integer(id), .text("https://example.org/file-\(id)")]).value
        }
        #expect(try await copy.finish(within: time).value == 100_000)
        #expect(connection.isIdle)
        let sum = "SELECT sum(id)::bigint FROM t WHERE name = 'https://example.org/file-' || id"
        #expect(try await connection.value(sum, as: Int.self) == 5_000_050_000)
    }

    @Test func `values of all kinds survive`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run(
            "CREATE TABLE t (a bigint, b double precision, c text, d bytea, e boolean, f text)"
        )
        let text = "tab\t line\n return\r back\\slash \\N ünïcode 🦆"
        let copy = try copy(connection)
        _ = try copy.write(
            row: [
                .integer(.min), .real(.infinity), .text(text), .bytes(Array(0...255)),
                .boolean(true), .null,
            ]
        )
        _ = try copy.write(row: [.null, .null, .text(""), .bytes([]), .null, .text("NULL")])
        #expect(try await copy.finish(within: time).value == 2)
        let rows = try await connection.run("SELECT * FROM t ORDER BY a NULLS LAST").rows
        #expect(try rows[0].value("a", as: Int64.self) == .min)
        #expect(try rows[0].value("b", as: Double.self) == .infinity)
        #expect(try rows[0].value("c", as: String.self) == text)
        #expect(try rows[0].value("d", as: [UInt8].self) == Array(0...255))
        #expect(try rows[0].value("e", as: Bool.self))
        #expect(try rows[0].value("f", as: String?.self) == nil)
        #expect(try rows[1].value("c", as: String.self) == "")
        #expect(try rows[1].value("d", as: [UInt8].self) == [])
        #expect(try rows[1].value("f", as: String.self) == "NULL")
    }

    @Test func `a row with an error fails the COPY, and leaves no row`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint)")
        let copy = try copy(connection)
        for id in 1...100_000 as ClosedRange<Int64> {
            let value = id == 500 ? PostgresValue.text("five hundred") : .integer(id)
            try await copy.write(row: [value]).value
        }
        let failure = await error { try await copy.finish(within: time).value }
        #expect(failure?.kind == .unusableValue)
        #expect(failure?.message.contains("five hundred") == true)
        #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    @Test func `a COPY is a part of its transaction`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint)")
        try connection.send("BEGIN")
        try await connection.run("INSERT INTO t VALUES (0)")
        let copy = try copy(connection)
        _ = try copy.write(row: [.integer(1)])
        #expect(try await copy.finish(within: time).value == 1)
        #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 2)
        try await connection.run("ROLLBACK")
        #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    @Test func `a COPY that is released without its end is discarded`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint)")
        do {
            let copy = try copy(connection)
            _ = try copy.write(row: [.integer(1)])
        }
        #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 0)
        #expect(connection.isIdle)
    }

    @Test func `a COPY after a failed statement is not begun`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint)")
        try connection.send("INSERT INTO t VALUES ('five')")
        let copy = try copy(connection)
        _ = try copy.write(row: [.integer(1)])
        let failure = await error { try await copy.finish(within: time).value }
        #expect(failure?.message.contains("five") == true)
        #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 0)
        #expect(connection.isIdle)
    }

    @Test func `a statement that is no COPY is an error`() async throws {
        let connection = try await PostgresScene().connect()
        let missing = try connection.copy("COPY missing FROM STDIN", stallTime: time)
        let failure = await error { try await missing.finish(within: time).value }
        #expect(failure?.kind == .wrongSchema)
        #expect(await error { try await missing.write([0]).value }?.kind == .wrongSchema)
        #expect(try await connection.value("SELECT 1", as: Int.self) == 1)
    }

    @Test func `a COPY may pause longer than the server may take for its rows`() async throws {
        let scene = try await PostgresScene()
        let (connection, other) = (scene.connect(), scene.connect())
        let holder = try await holdLock(1, scene)
        try await connection.run("CREATE TABLE t (id bigint)")
        let copy = try connection.copy("COPY t FROM STDIN", stallTime: .seconds(2))
        _ = try copy.write(row: [.integer(1)])
        let lock = "SELECT pg_advisory_lock(1)"
        let pause = await error { try await other.query(lock, within: .seconds(3)).value }
        #expect(pause?.kind == .timedOut)
        _ = try copy.write(row: [.integer(2)])
        #expect(try await copy.finish(within: time).value == 2)
        holder.close()
    }

    @Test(arguments: ["COPY t FROM STDIN", "COPY t TO STDOUT"])
    func `a script that begins a COPY ends the connection`(sql: String) async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint)")
        let failure = await error { try await connection.script(sql, within: time).value }
        #expect(failure?.kind == .unusableValue)
        #expect(connection.end == failure)
    }

    @Test func `writes wait while the server takes nothing`() async throws {
        let scene = try await PostgresScene()
        let (connection, holder) = (scene.connect(), scene.connect())
        try await holder.run("CREATE TABLE t (name text)")
        try holder.send("BEGIN")
        try await holder.run("LOCK TABLE t")
        let copy = try copy(connection)
        let line = try PostgresCopy.line([.text(String(repeating: "x", count: 1023))])
        let isWaiting = Observed(true)
        // The room is for a mebibyte, of which nothing is sent: the COPY itself waits for the lock.
        for _ in 1..<1_024 { try await copy.write(line).value }
        let last = copy.write(line)
        let waiting = Task {
            let outcome = await error { try await last.value }
            isWaiting.update { $0 = false }
            return outcome
        }
        try await holder.run("SELECT 1")
        #expect(isWaiting.value)
        try await holder.run("COMMIT")
        #expect(await waiting.value == nil)
        #expect(try await copy.finish(within: time).value == 1_024)
    }

    @Test func `a server that takes no more rows ends the connection after the stall time`()
        async throws
    {
        let scene = try await PostgresScene()
        let (connection, holder) = (scene.connect(), scene.connect())
        try await holder.run("CREATE TABLE t (name text UNIQUE)")
        try holder.send("BEGIN")
        try await holder.run("INSERT INTO t VALUES ('held')")
        // The time is also that in which the COPY must begin, which takes longer on a new connection.
        try await connection.run("SELECT 1")
        let copy = try connection.copy("COPY t FROM STDIN", stallTime: .seconds(2))
        // The server waits for the other transaction before it can take the row, and reads no more.
        _ = try copy.write(row: [.text("held")])
        var failure: PostgresError?
        var id = 0
        while failure == nil {
            id += 1
            let text = PostgresValue.text("\(id) " + String(repeating: "x", count: 60_000))
            failure = await error { try await copy.write(PostgresCopy.line([text])).value }
        }
        #expect(failure?.kind == .timedOut)
        #expect(connection.end?.kind == .timedOut)
        holder.close()
    }
}
