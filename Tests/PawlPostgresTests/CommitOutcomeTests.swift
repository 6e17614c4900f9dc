import Glibc
import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CommitOutcomeTests {
    private let short = Duration.milliseconds(200)
    private let time = PostgresScene.time

    /// A session with a transaction that has inserted the row 1 and is not committed.
    private struct Writer {
        let connection: PostgresConnection
        let mark: PostgresTransactionMark

        init(_ scene: PostgresScene) async throws {
            var settings = PostgresSettings()
            settings.cancelTime = .milliseconds(200)
            connection = PostgresConnection(scene.address, settings)
            let server = try await connection.server.value
            try await connection.run("CREATE TABLE t (id bigint PRIMARY KEY)")
            try connection.send("BEGIN")
            let numbered = try await connection.run(PostgresTransactionMark.query)
            mark = try PostgresTransactionMark(numbered, on: server)
            try await connection.run("INSERT INTO t VALUES (1)")
        }

        var process: Int32 { mark.server.process }

        /// Commits while the server's process is stopped, so that the outcome is not reported.
        func commitUnanswered() async {
            kill(process, SIGSTOP)
            let late = await error {
                try await connection.script("COMMIT", within: .milliseconds(200)).value
            }
            #expect(late?.kind == .timedOut)
            #expect(connection.end != nil)
        }
    }

    private func rows(_ connection: PostgresConnection) async throws -> Int {
        try await connection.value("SELECT count(*) FROM t")
    }

    @Test func `a commit whose answer was lost is found to be committed`() async throws {
        let scene = try await PostgresScene()
        let (writer, other) = (try await Writer(scene), scene.connect())
        defer { kill(writer.process, SIGCONT) }
        await writer.commitUnanswered()
        kill(writer.process, SIGCONT)
        // It waits until the transaction has ended, and fails if that was committed.
        #expect(await other.failure("INSERT INTO t VALUES (1)")?.kind == .constraint)
        let outcome = CommitOutcome.find(writer.mark, on: other, within: time)
        #expect(try await outcome.value == .committed)
    }

    @Test func `a commit that never arrived is found to be aborted`() async throws {
        let scene = try await PostgresScene()
        let (writer, other) = (try await Writer(scene), scene.connect())
        let process = PostgresValue.integer(Int64(writer.process))
        try await other.run("SELECT pg_terminate_backend($1, 60000)", [process])
        let failure = await error {
            try await writer.connection.script("COMMIT", within: time).value
        }
        #expect(failure?.kind == .unreachable)
        let outcome = CommitOutcome.find(writer.mark, on: other, within: time)
        #expect(try await outcome.value == .aborted)
        #expect(try await rows(other) == 0)
    }

    @Test func `the session is ended first, so that a commit on its way has no effect`()
        async throws
    {
        let scene = try await PostgresScene()
        let (writer, other) = (try await Writer(scene), scene.connect())
        let outcome = CommitOutcome.find(writer.mark, on: other, within: time)
        #expect(try await outcome.value == .aborted)
        let failure = await error {
            try await writer.connection.script("COMMIT", within: time).value
        }
        #expect(failure?.kind == .unreachable)
        #expect(try await rows(other) == 0)
    }

    @Test func `the outcome is unknown while the session does not end`() async throws {
        let scene = try await PostgresScene()
        let (writer, other) = (try await Writer(scene), scene.connect())
        defer { kill(writer.process, SIGCONT) }
        await writer.commitUnanswered()
        let outcome = CommitOutcome.find(writer.mark, on: other, within: .seconds(8))
        #expect(try await outcome.value == .unknown)
        kill(writer.process, SIGCONT)
        // Now it ends, with or without the commit, and the answer agrees with the table.
        let later = try await CommitOutcome.find(writer.mark, on: other, within: time).value
        #expect(later != .unknown)
        #expect(try await rows(other) == (later == .committed ? 1 : 0))
    }

    @Test func `a commit that a killed server did not do is found after the restart`() async throws
    {
        try await PostgresCluster.run { cluster in
            let scene = try await PostgresScene(on: cluster)
            let writer = try await Writer(scene)
            await cluster.stop()
            try await cluster.start()
            let other = scene.connect()
            let outcome = CommitOutcome.find(writer.mark, on: other, within: time)
            #expect(try await outcome.value == .aborted)
        }
    }

    @Test func `another session with the same process number is left alone`() async throws {
        let scene = try await PostgresScene()
        let (first, other) = (try await Writer(scene), scene.connect())
        let bystander = scene.connect()
        let process = try await bystander.server.value.process
        // The number of the process that the mark names now belongs to another session.
        let results = try await other.script(
            """
            SELECT \(process), \(first.mark.server.startedAt), \(first.mark.server.version), false
            """,
            within: time
        ).value
        let server = try PostgresServer(results)
        let id = try await first.connection.run(PostgresTransactionMark.query)
        let mark = try PostgresTransactionMark(id, on: server)
        #expect(try await CommitOutcome.find(mark, on: other, within: time).value == .unknown)
        #expect(try await bystander.value("SELECT 1", as: Int.self) == 1)
    }
}
