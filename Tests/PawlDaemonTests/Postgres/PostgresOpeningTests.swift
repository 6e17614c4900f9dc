import PawlCore
import PawlDaemon
import PawlPostgres
import PawlTesting
import PawlWire
import Testing

/// What the store finds in a database when it opens it.
@Suite(.timeLimit(.minutes(5)))
struct PostgresOpeningTests {
    private func setVersion(
        _ version: Int,
        readableFrom: Int,
        _ queue: PostgresQueue
    ) async throws {
        try await queue.run(
            """
            UPDATE setting SET value = '\(version)' WHERE name = 'schema';
            UPDATE setting SET value = '\(readableFrom)' WHERE name = 'schema-readable-from'
            """
        )
    }

    @Test func `without another schema in the address, the tables are in the schema pawl`()
        async throws
    {
        let cluster = try await PostgresCluster.shared()
        let database = try await cluster.makeDatabase()
        let store = try PostgresStore(cluster.address(database))
        #expect(store.schema == "pawl")
        #expect(store.identity.count == 32)
        #expect(store.identity.allSatisfy { $0.isHexDigit })
        let tables = try await cluster.run(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'pawl' ORDER BY 1",
            in: database
        )
        #expect(tables.split(separator: "\n").map(String.init) == PostgresSchema.tables)
        try store.close()
        let again = try PostgresStore(cluster.address(database))
        #expect(again.identity == store.identity)
    }

    @Test(arguments: [
        ("queue", "queue"), ("Queue, public", "queue"), (#""My ""q""", public"#, #"My "q""#),
        ("", nil), (#""""#, nil),
    ])
    func `the first schema of the address is used`(list: String, name: String?) {
        #expect(PostgresMigration.firstName(in: list) == name)
    }

    @Test func `the columns of downloads are those that a removal keeps`() async throws {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        let columns = try await queue.run(
            """
            SELECT column_name FROM information_schema.columns
            WHERE table_schema = '\(queue.schema)' AND table_name = 'download' ORDER BY 1
            """
        )
        #expect(
            columns.split(separator: "\n").map(String.init)
                == (DownloadRows.columns + DownloadRows.fleetColumns).map { $0.lowercased() }
                .sorted()
        )
        try store.close()
    }

    @Test func `tables of another program are refused, and stay as they are`() async throws {
        for table in ["event (id bigint)", "setting (name text, value text)"] {
            let queue = try await PostgresQueue()
            try await queue.cluster.run("CREATE SCHEMA \(queue.schema)")
            try await queue.run("CREATE TABLE \(table)")
            let refusal = queue.failure()
            #expect(refusal?.code == .directoryNotUsable)
            #expect(refusal?.message.contains("tables of another program") == true)
            #expect(refusal?.advice.contains("options=-csearch_path") == true)
            let count = try await queue.run(
                "SELECT count(*) FROM pg_tables WHERE schemaname = '\(queue.schema)'"
            )
            #expect(count == "1\n")
        }
    }

    @Test func `the tables of the next version are used if it allows that, others are refused`()
        async throws
    {
        let queue = try await PostgresQueue()
        let (current, first) = (PostgresSchema.versions.count, PostgresSchema.readableFrom)
        let store = try queue.open()
        _ = try StoreScene.add("a", to: store)
        try store.close()
        try await setVersion(current + 1, readableFrom: first, queue)
        #expect(queue.failure() == nil)
        for (version, readable) in [(current + 1, current + 1), (current + 2, first)] {
            try await setVersion(version, readableFrom: readable, queue)
            let refusal = queue.failure()
            #expect(refusal?.code == .directoryNotUsable)
            #expect(refusal?.message == "the queue was written by a newer version of Pawl")
        }
        #expect(try await queue.run("SELECT count(*) FROM download") == "1\n")
    }

    @Test func `tables of an earlier version are upgraded`() async throws {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        let id = try StoreScene.add("a", to: store)
        let next = PostgresMigration(
            schema: queue.schema,
            versions: PostgresSchema.versions + ["ALTER TABLE download ADD COLUMN extra bigint"],
            readableFrom: PostgresSchema.readableFrom
        )
        let session = try queue.connect()
        #expect(try next.run(on: session).identity == store.identity)
        let version = "SELECT value FROM setting WHERE name = 'schema'"
        #expect(try await queue.run(version) == "\(PostgresSchema.versions.count + 1)\n")
        // A daemon of this version uses the tables further.
        try store.write { try $0.attempts.countStart(of: id) }
        #expect(try next.run(on: session).identity == store.identity)
    }

    @Test func `a failed upgrade changes nothing`() async throws {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        let next = PostgresMigration(
            schema: queue.schema,
            versions: PostgresSchema.versions + ["DROP TABLE hook; SELECT 1 / 0"],
            readableFrom: 1
        )
        let session = try queue.connect()
        #expect(throws: PostgresError.self) { try next.run(on: session) }
        #expect(try store.write { try $0.hooks.due(at: $0.now, limit: 1) }.isEmpty)
    }
}
