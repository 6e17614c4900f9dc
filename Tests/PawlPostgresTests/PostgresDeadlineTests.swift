import Glibc
import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresDeadlineTests {
    private let short = Duration.milliseconds(200)

    /// A connection that gives the server more time to cancel a statement than it ever needs.
    private func patientConnection(_ scene: PostgresScene) -> PostgresConnection {
        var settings = PostgresSettings()
        settings.cancelTime = PostgresScene.time
        return PostgresConnection(scene.address, settings)
    }

    @Test func `a statement is cancelled at its deadline, and the connection continues`()
        async throws
    {
        let scene = try await PostgresScene()
        let holder = try await holdLock(1, scene)
        let connection = patientConnection(scene)
        try await connection.run("CREATE TABLE t (id bigint)")
        try connection.send("BEGIN")
        try connection.send("INSERT INTO t VALUES (1)")
        let late = await error {
            try await connection.query("SELECT pg_advisory_lock(1)", within: short).value
        }
        #expect(late?.kind == .timedOut)
        try await connection.run("ROLLBACK")
        #expect(connection.end == nil)
        // The request to cancel must not reach what follows.
        for number in 0..<100 {
            #expect(try await connection.value("SELECT \(number)", as: Int.self) == number)
        }
        #expect(try await connection.value("SELECT count(*) FROM t", as: Int.self) == 0)
        holder.close()
    }

    @Test func `a deadline cancels no other call`() async throws {
        let scene = try await PostgresScene()
        let holder = try await holdLock(1, scene)
        try await holder.run("SELECT pg_advisory_lock(2)")
        let connection = patientConnection(scene)
        let process = PostgresValue.integer(Int64(try await connection.server.value.process))
        let lock = "SELECT pg_advisory_lock($1)"
        let first = connection.query(lock, [.integer(1)], within: PostgresScene.time)
        // The server comes to these only after the first one.
        let late = connection.query(lock, [.integer(2)], within: short)
        let last = connection.query("SELECT 3", within: PostgresScene.time)
        #expect(await error { try await late.value }?.kind == .timedOut)
        let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = $1"
        #expect(try await holder.value(waits, [process], as: Int.self) == 1)
        try await holder.run("SELECT pg_advisory_unlock(1)")
        _ = try await first.value
        // The late one waits for its lock until it is cancelled.
        #expect(try await last.value.first?.value(0, as: Int.self) == 3)
        while try await holder.value(waits, [process], as: Int.self) > 0 {}
        let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = $1"
        #expect(try await holder.value(held, [process], as: Int.self) == 1)
        #expect(connection.end == nil)
    }

    @Test func `a stopped server process ends its connection at the deadline, and no other`()
        async throws
    {
        let scene = try await PostgresScene()
        var settings = PostgresSettings()
        settings.cancelTime = short
        let stopped = PostgresConnection(scene.address, settings)
        let other = scene.connect()
        let process = try await stopped.server.value.process
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        let reply = stopped.query("SELECT 1", within: short)
        #expect(try await other.value("SELECT 2", as: Int.self) == 2)
        #expect(await error { try await reply.value }?.kind == .timedOut)
        #expect(stopped.end?.kind == .timedOut)
        #expect(try await other.value("SELECT 3", as: Int.self) == 3)
        #expect(await stopped.failure("SELECT 1")?.kind == .timedOut)
    }

    @Test func `a server that accepts and does not answer is not waited for`() async throws {
        try await PostgresCluster.run { cluster in
            let scene = try await PostgresScene(on: cluster)
            kill(cluster.process, SIGSTOP)
            defer { kill(cluster.process, SIGCONT) }
            let connection = scene.connect()
            let late = await error { try await connection.query("SELECT 1", within: short).value }
            #expect(late?.kind == .unreachable)
            #expect(late?.message.contains("does not answer") == true)
            var settings = PostgresSettings()
            settings.connectTime = short
            let impatient = PostgresConnection(scene.address, settings)
            #expect(await impatient.failure("SELECT 1")?.kind == .unreachable)
        }
    }

    @Test func `the limits of the server are errors that can be told apart`() async throws {
        let scene = try await PostgresScene()
        let holder = try await holdLock(1, scene)
        let connection = scene.connect()
        try await connection.run("SET lock_timeout = '50ms'")
        #expect(await connection.failure("SELECT pg_advisory_lock(1)")?.kind == .locked)
        try await connection.run("SET lock_timeout = 0")
        try await connection.run("SET statement_timeout = '50ms'")
        let late = await connection.failure("SELECT pg_advisory_lock(1)")
        #expect(late?.kind == .timedOut)
        #expect(late?.state == "57014")
        holder.close()
    }

    @Test func `what a closed connection runs is cancelled`() async throws {
        let scene = try await PostgresScene()
        let holder = try await holdLock(1, scene)
        let connection = scene.connect()
        let process = PostgresValue.integer(Int64(try await connection.server.value.process))
        let reply = connection.query("SELECT pg_advisory_lock(1)", within: PostgresScene.time)
        let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = $1"
        while try await holder.value(waits, [process], as: Int.self) == 0 {}
        connection.close()
        #expect(await error { try await reply.value }?.kind == .closed)
        while try await holder.value(waits, [process], as: Int.self) > 0 {}
    }

    @Test func `a COPY that does not begin is given up`() async throws {
        let scene = try await PostgresScene()
        let (connection, holder) = (patientConnection(scene), scene.connect())
        try await holder.run("CREATE TABLE t (id bigint)")
        try holder.send("BEGIN")
        try await holder.run("LOCK TABLE t")
        let slow = try connection.copy("COPY t FROM STDIN", stallTime: short)
        let begin = await error { try await slow.finish(within: PostgresScene.time).value }
        #expect(begin?.kind == .timedOut)
        // Nothing but the statement was cancelled.
        #expect(try await connection.value("SELECT 1", as: Int.self) == 1)
        let copy = try connection.copy("COPY t FROM STDIN", stallTime: PostgresScene.time)
        #expect(await error { try await copy.finish(within: short).value }?.kind == .timedOut)
        #expect(try await connection.value("SELECT 2", as: Int.self) == 2)
    }

    @Test func `the deadline for the end of a COPY holds while rows are left to send`() async throws
    {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (name text)")
        let process = try await connection.server.value.process
        let copy = try connection.copy("COPY t FROM STDIN", stallTime: .seconds(3_600))
        let line = try PostgresCopy.line([.text(String(repeating: "x", count: 1023))])
        let lines = Array(repeatElement(line, count: 2_048).joined())
        // There is room for more only when the server has begun to take rows.
        try await copy.write(lines).value
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        for _ in 0..<10 { _ = copy.write(lines) }
        #expect(await error { try await copy.finish(within: short).value }?.kind == .timedOut)
        #expect(connection.end?.kind == .timedOut)
    }

    @Test func `a cancelled task does not wait`() async throws {
        let scene = try await PostgresScene()
        let holder = try await holdLock(1, scene)
        let connection = scene.connect()
        let reply = connection.query("SELECT pg_advisory_lock(1)", within: PostgresScene.time)
        let task = Task { await error { try await reply.value } }
        task.cancel()
        #expect(await task.value?.kind == .closed)
        #expect(!connection.isIdle)
        holder.close()
    }
}
