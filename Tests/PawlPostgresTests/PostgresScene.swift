import PawlPostgres
import PawlTesting

/// A database of a test, on the server that all tests share or on one of its own.
struct PostgresScene {
    let cluster: PostgresCluster
    let database: String
    let address: PostgresAddress

    /// Longer than any statement takes.
    static let time = Duration.seconds(60)

    init(on cluster: PostgresCluster? = nil) async throws {
        if let cluster { self.cluster = cluster } else { self.cluster = try await .shared() }
        database = try await self.cluster.makeDatabase()
        address = try PostgresAddress(self.cluster.address(database))
    }

    func connect() -> PostgresConnection { PostgresConnection(address) }
}

extension PostgresConnection {
    /// Runs a statement, with enough time.
    @discardableResult
    func run(_ sql: String, _ values: [PostgresValue] = []) async throws -> PostgresResult {
        try await query(sql, values, within: PostgresScene.time).value
    }

    /// Returns the value in the first row and column.
    func value<Value: PostgresDecodable>(
        _ sql: String,
        _ values: [PostgresValue] = [],
        as type: Value.Type = Value.self
    ) async throws -> Value {
        guard let row = try await run(sql, values).first else {
            throw PostgresError(.failed, "no row")
        }
        return try row.value(0)
    }

    /// Returns the error with which a statement fails.
    func failure(_ sql: String, _ values: [PostgresValue] = []) async -> PostgresError? {
        await error { try await run(sql, values) }
    }
}

/// Returns the error that `body` throws; `nil` if it throws none, or another type of error.
func error(_ body: () async throws -> some Any) async -> PostgresError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PostgresError
    }
}

/// A session that has the advisory lock `key`, so that others wait for it.
func holdLock(_ key: Int64, _ scene: PostgresScene) async throws -> PostgresConnection {
    let holder = scene.connect()
    try await holder.run("SELECT pg_advisory_lock($1)", [.integer(key)])
    return holder
}
