import PawlCore
import PawlDaemon
import PawlPostgres
import PawlTesting

/// A queue in a schema of its own, on the server that all tests share or on one of its own.
struct PostgresQueue {
    let cluster: PostgresCluster
    let schema: String
    let address: String

    init(on cluster: PostgresCluster? = nil) async throws {
        if let cluster { self.cluster = cluster } else { self.cluster = try await .shared() }
        address = ContractScene.address(on: self.cluster)
        schema = String(address.split(separator: "=").last ?? "")
    }

    func open(clock: any Timekeeper = SystemTimekeeper()) throws(DownloadError) -> PostgresStore {
        try PostgresStore(address, clock: clock)
    }

    /// Returns the error with which the queue cannot be opened; `nil` if it can.
    func failure(_ address: String? = nil) -> DownloadError? {
        do throws(DownloadError) {
            try PostgresStore(address ?? self.address).close()
            return nil
        } catch {
            return error
        }
    }

    /// Runs statements as the administrator of the database; the tables need no schema.
    @discardableResult
    func run(_ sql: String) async throws -> String {
        try await cluster.run("SET search_path TO \(schema); \(sql)")
    }

    func connect() throws -> PostgresConnection { PostgresConnection(try PostgresAddress(address)) }
}
