import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresSettingsTests {
    @Test func `a connection has the name that its owner or the address gives it`() async throws {
        let scene = try await PostgresScene()
        var settings = PostgresSettings()
        settings.applicationName = "pawld node-1"
        let own = PostgresConnection(scene.address, settings)
        let query = "SHOW application_name"
        #expect(try await own.value(query, as: String.self) == "pawld node-1")
        let named = try PostgresAddress(scene.address.text + " application_name=other")
        let other = PostgresConnection(named, settings)
        #expect(try await other.value(query, as: String.self) == "other")
    }

    @Test func `the first statements of a connection run before all others`() async throws {
        let scene = try await PostgresScene()
        var settings = PostgresSettings()
        settings.preparation = ["SET lock_timeout = '5s'", "SET statement_timeout = '10s'"]
        let connection = PostgresConnection(scene.address, settings)
        try connection.send("CREATE TABLE t (id bigint)")
        #expect(try await connection.value("SHOW lock_timeout", as: String.self) == "5s")
        #expect(try await connection.value("SHOW statement_timeout", as: String.self) == "10s")
    }

    @Test func `a connection whose first statements fail ends with their error`() async throws {
        let scene = try await PostgresScene()
        var settings = PostgresSettings()
        settings.preparation = ["SELECT * FROM missing"]
        let connection = PostgresConnection(scene.address, settings)
        #expect(await connection.failure("SELECT 1")?.kind == .wrongSchema)
        #expect(connection.end?.kind == .wrongSchema)
        let server = await error { try await connection.server.value }
        #expect(server?.kind == .wrongSchema)
    }

    @Test func `the server is described`() async throws {
        let scene = try await PostgresScene()
        let connection = scene.connect()
        let server = try await connection.server.value
        #expect(try await connection.value("SELECT pg_backend_pid()") == server.process)
        #expect(server.version >= 140_000)
        let age = """
            SELECT (extract(epoch FROM backend_start) * 1000000)::bigint FROM pg_stat_activity
            WHERE pid = $1
            """
        let process = PostgresValue.integer(Int64(server.process))
        #expect(try await scene.connect().value(age, [process]) == server.startedAt)
    }

    @Test func `the encoding is UTF-8, whatever the environment says`() async throws {
        let scene = try await PostgresScene()
        let address = try PostgresAddress(scene.address.text + " client_encoding=LATIN1")
        let connection = PostgresConnection(address)
        #expect(try await connection.value("SHOW client_encoding", as: String.self) == "UTF8")
        #expect(try await connection.value("SELECT '🦆'", as: String.self) == "🦆")
    }
}
