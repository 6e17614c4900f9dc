import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// The errors of a database that cannot be used, with their advice.
@Suite(.timeLimit(.minutes(5)))
struct PostgresRefusalTests {
    @Test func `a wrong password is refused with advice, and not shown`() async throws {
        var settings = PostgresCluster.Settings()
        settings.needsPassword = true
        try await PostgresCluster.run(settings) { cluster in
            let queue = try await PostgresQueue(on: cluster)
            let refusal = queue.failure(queue.address + " password=mistaken-words")
            #expect(refusal?.code == .storeUnavailable)
            #expect(refusal?.message.contains("password authentication failed") == true)
            #expect(refusal?.advice.contains("PGPASSFILE") == true)
            #expect("\(refusal.map { "\($0)" } ?? "")".contains("mistaken-words") == false)
        }
    }

    @Test func `a database that does not exist is refused with advice`() async throws {
        let queue = try await PostgresQueue()
        let address = queue.cluster.address("nothing")
        let refusal = queue.failure(address)
        #expect(refusal?.code == .storeUnavailable)
        #expect(refusal?.message.contains("\"nothing\" does not exist") == true)
        #expect(refusal?.advice.contains("createdb") == true)
    }

    @Test func `a user without the permission is refused with advice`() async throws {
        try await PostgresCluster.run { cluster in
            let queue = try await PostgresQueue(on: cluster)
            try await cluster.run("CREATE ROLE guest LOGIN")
            let address = cluster.address(user: "guest")
            let refusal = queue.failure(address)
            #expect(refusal?.code == .storeUnavailable)
            #expect(refusal?.message.contains("permission denied") == true)
            #expect(refusal?.advice.contains("GRANT") == true)
            // A schema that the administrator has created is enough.
            try await cluster.run("CREATE SCHEMA pawl AUTHORIZATION guest")
            #expect(queue.failure(address) == nil)
        }
    }

    @Test func `a server that takes no changes is refused with advice`() async throws {
        let queue = try await PostgresQueue()
        #expect(queue.failure() == nil)
        let options = "options='-csearch_path=\(queue.schema) -cdefault_transaction_read_only=on'"
        let refusal = queue.failure(queue.cluster.address() + " " + options)
        #expect(refusal?.code == .storeUnavailable)
        #expect(refusal?.message.contains("read-only") == true)
        #expect(refusal?.advice.contains("target_session_attrs") == true)
    }

    @Test func `a server that does not run is not available`() async throws {
        let queue = try await PostgresQueue()
        let port = try UnusedPort.find()
        let refusal = queue.failure("host=127.0.0.1 port=\(port) dbname=postgres user=pawl")
        #expect(refusal?.code == .storeUnavailable)
        #expect(refusal?.isRetryable == true)
        #expect(refusal?.advice.contains("check that the server runs") == true)
    }

    @Test func `a database in another encoding is refused`() async throws {
        let queue = try await PostgresQueue()
        try await queue.cluster.run(
            "CREATE DATABASE \(queue.schema) TEMPLATE template0 ENCODING 'LATIN1'"
        )
        let refusal = queue.failure(queue.cluster.address(queue.schema))
        #expect(refusal?.code == .directoryNotUsable)
        #expect(refusal?.message.contains("LATIN1") == true)
    }

    @Test func `an address that is not valid is an error of the user`() async throws {
        let queue = try await PostgresQueue()
        #expect(queue.failure("postgre://host/queue")?.code == .usage)
    }

    @Test(.enabled(if: MemoryDisk.isAvailable))
    func `on a full disk, what needs room is refused for a while, and nothing is lost`()
        async throws
    {
        guard let disk = try MemoryDisk(bytes: 8 << 20) else { return }
        try await PostgresCluster.run { cluster in
            let folder = try cluster.makeFolder(on: disk)
            try await cluster.run("CREATE TABLESPACE small LOCATION '\(folder)'")
            let clock = ManualTimekeeper()
            let options = "options=-cdefault_tablespace=small"
            let store = try PostgresStore(cluster.address() + " " + options, clock: clock)
            let id = try StoreScene.add("first", to: store)
            var random = TestSeed.generator("disk")
            let body = (0..<1 << 18).map { _ in UInt8.random(in: 0...255, using: &random) }
            var failure: DownloadError?
            for _ in 0..<64 where failure == nil {
                do throws(DownloadError) {
                    try store.writeWithRoom { transaction in
                        guard var row = try transaction.downloads.find(id) else { return }
                        row.id = 0
                        _ = try transaction.downloads.insert(row, request: .init(body: body))
                    }
                } catch {
                    failure = error
                }
            }
            #expect(failure?.code == .diskFull)
            #expect(failure?.advice.contains("make room") == true)
            #expect(store.lastWriteFailure?.code == .diskFull)
            #expect(throws: DownloadError.self) { try store.checkRoom() }
            try store.writeInAnyCase { transaction in
                for other in try transaction.downloads.ids() where other != id {
                    try transaction.downloads.delete(other)
                }
            }
            #expect(try await store.read { try $0.downloads.ids() } == [id])
            #expect(throws: DownloadError.self) { try store.checkRoom() }
            clock.advance(by: .seconds(10))
            try store.checkRoom()
        }
    }
}
