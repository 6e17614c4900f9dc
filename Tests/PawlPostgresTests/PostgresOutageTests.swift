import FoundationEssentials
import Glibc
import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresOutageTests {
    private let time = PostgresScene.time

    @Test func `a session that is ended fails its call with the server's reason`() async throws {
        let scene = try await PostgresScene()
        let holder = try await holdLock(1, scene)
        let connection = scene.connect()
        let process = try await connection.server.value.process
        let reply = connection.query("SELECT pg_advisory_lock(1)", within: time)
        // It waits for the lock before it is ended.
        let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = $1"
        while try await holder.value(waits, [.integer(Int64(process))], as: Int.self) == 0 {}
        try await holder.run("SELECT pg_terminate_backend($1)", [.integer(Int64(process))])
        let failure = await error { try await reply.value }
        #expect(failure?.kind == .unreachable)
        #expect(failure?.state == "57P01")
        #expect(failure?.isTemporary == true)
        let later = await connection.failure("SELECT 1")
        #expect(later?.kind == .unreachable)
        #expect(!connection.isIdle)
    }

    @Test func `an idle connection learns that its session has ended`() async throws {
        let scene = try await PostgresScene()
        let ended = Observed<PostgresError?>(nil)
        let connection = PostgresConnection(scene.address) { event in
            if case .ended(let error) = event { ended.update { $0 = error } }
        }
        let process = try await connection.server.value.process
        let other = scene.connect()
        try await other.run("SELECT pg_terminate_backend($1)", [.integer(Int64(process))])
        let error = await ended.wait { $0 != nil }
        #expect(error?.kind == .unreachable)
        #expect(error?.message.contains("administrator command") == true)
        #expect(await connection.failure("SELECT 1") == error)
        #expect(connection.end == error)
    }

    @Test func `an end is reported before the next connection can be made`() async throws {
        let scene = try await PostgresScene()
        let connection = Observed<PostgresConnection?>(nil)
        let wasKnown = Observed<Bool?>(nil)
        let first = PostgresConnection(scene.address) { event in
            guard case .ended = event else { return }
            wasKnown.update { $0 = connection.value?.end != nil }
        }
        connection.update { $0 = first }
        let process = try await first.server.value.process
        let other = scene.connect()
        try await other.run("SELECT pg_terminate_backend($1)", [.integer(Int64(process))])
        #expect(await wasKnown.wait { $0 != nil } == false)
        // It refers to itself.
        connection.update { $0 = nil }
    }

    @Test func `a server that is killed ends its connections, and a pool makes new ones`()
        async throws
    {
        try await PostgresCluster.run { cluster in
            let scene = try await PostgresScene(on: cluster)
            let pool = PostgresPool(scene.address, size: 2)
            let value = {
                try await pool.withConnection(within: PostgresScene.time) { connection in
                    try await connection.value("SELECT 1", as: Int.self)
                }
            }
            #expect(try await value() == 1)
            let ended = Observed(false)
            let connection = PostgresConnection(scene.address) { event in
                if case .ended = event { ended.update { $0 = true } }
            }
            try await connection.run("SELECT 1")
            await cluster.stop()
            await ended.wait { $0 }
            #expect(await connection.failure("SELECT 1")?.kind == .unreachable)
            #expect(connection.end?.kind == .unreachable)
            let down = await error { try await value() }
            #expect(down?.kind == .unreachable)
            #expect(down?.advice.contains("check that the server runs") == true)
            #expect(pool.problem?.kind == .unreachable)
            try await cluster.start()
            // The first one may be a connection that has not noticed yet.
            while await error({ try await value() }) != nil {}
            #expect(pool.problem == nil)
        }
    }

    @Test func `the first of two hosts may be down`() async throws {
        let scene = try await PostgresScene()
        let closed = try UnusedPort.find()
        let text = scene.address.text.replacing("host=", with: "host=127.0.0.1,")
            .replacing("port=", with: "port=\(closed),")
        let connection = PostgresConnection(try PostgresAddress(text))
        let name = try await connection.value("SELECT current_database()", as: String.self)
        #expect(name == scene.database)
    }

    @Test func `the first of two hosts may not answer at all`() async throws {
        let scene = try await PostgresScene()
        let silent = try FullBacklogServer()
        let port = try #require(silent.url.port)
        let text = scene.address.text.replacing("host=", with: "host=127.0.0.1,")
            .replacing("port=", with: "port=\(port),")
        let connection = PostgresConnection(
            try PostgresAddress(text + " tcp_user_timeout=200")
        )
        let name = try await connection.value("SELECT current_database()", as: String.self)
        #expect(name == scene.database)
    }

    @Test func `a server that takes no changes is passed over if the address demands it`()
        async throws
    {
        var settings = PostgresCluster.Settings()
        settings.lines = ["default_transaction_read_only = on"]
        try await PostgresCluster.run(settings) { standby in
            let scene = try await PostgresScene()
            let ports = "\(standby.port),\(scene.cluster.port)"
            let text = """
                host=127.0.0.1,127.0.0.1 port=\(ports) user=\(PostgresCluster.user) dbname=postgres
                """
            let first = PostgresConnection(try PostgresAddress(text))
            #expect(await first.failure("CREATE TABLE t (id bigint)")?.kind == .readOnly)
            let writable = text + " target_session_attrs=read-write"
            let second = PostgresConnection(try PostgresAddress(writable))
            #expect(try await second.value("SHOW port", as: Int.self) == Int(scene.cluster.port))
            let alone = "host=127.0.0.1 port=\(standby.port) user=pawl dbname=postgres "
            let none = PostgresConnection(
                try PostgresAddress(alone + "target_session_attrs=read-write")
            )
            let refused = await none.failure("SELECT 1")
            #expect(refused?.kind == .readOnly)
            #expect(refused?.advice.contains("primary") == true)
        }
    }

    @Test func `a standby is passed over, and refused where there is no other server`()
        async throws
    {
        var cluster = PostgresCluster.Settings()
        cluster.isStandby = true
        try await PostgresCluster.run(cluster) { standby in
            let scene = try await PostgresScene()
            let ports = "\(standby.port),\(scene.cluster.port)"
            let user = "user=\(PostgresCluster.user) dbname=postgres"
            let both = "host=127.0.0.1,127.0.0.1 port=\(ports) \(user)"
            var settings = PostgresSettings()
            settings.needsPrimary = true
            let first = PostgresConnection(try PostgresAddress(both), settings)
            #expect(try await first.value("SHOW port", as: Int.self) == Int(scene.cluster.port))
            let alone = "host=127.0.0.1 port=\(standby.port) \(user)"
            for address in [alone, both + " target_session_attrs=any"] {
                let none = PostgresConnection(try PostgresAddress(address), settings)
                let refused = await none.failure("SELECT 1")
                #expect(refused?.kind == .readOnly)
                #expect(refused?.advice.contains("primary") == true)
            }
            let any = PostgresConnection(try PostgresAddress(alone))
            #expect(try await any.value("SELECT pg_is_in_recovery()", as: Bool.self))
        }
    }

    @Test func `a server that nobody runs is an error that names the address`() async throws {
        let port = try UnusedPort.find()
        let text = "postgres://pawl:top-secret@127.0.0.1:\(port)/queue"
        let connection = PostgresConnection(try PostgresAddress(text))
        let failure = await connection.failure("SELECT 1")
        #expect(failure?.kind == .unreachable)
        #expect(failure?.message.contains("host=127.0.0.1") == true)
        #expect(failure?.description.contains("secret") == false)
        let server = await error { try await connection.server.value }
        #expect(server == failure)
    }
}
