import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire

/// A queue in PostgreSQL with two nodes, which share one connection that writes.
///
/// Each node sees the tables as its own daemon does.
struct FleetScene {
    let queue: PostgresQueue
    let store: PostgresStore
    let first: StoreNode
    let second: StoreNode

    init() async throws {
        queue = try await PostgresQueue()
        store = try PostgresStore(queue.address)
        first = try Self.join("first", store)
        second = try Self.join("second", store)
    }

    static func candidate(
        _ name: String,
        machine: String? = nil,
        process: String? = nil,
        attempt: Int = 1
    ) -> NodeTable.Candidate {
        NodeTable.Candidate(
            name: name,
            machine: machine ?? "machine of \(name)",
            process: process ?? "process of \(name)",
            attempt: attempt,
            version: "1"
        )
    }

    private static func join(_ name: String, _ store: PostgresStore) throws -> StoreNode {
        try store.write { try $0.nodes.join(candidate(name)).node }
    }

    /// Runs a transaction of a node.
    func write<Value>(
        as node: StoreNode,
        _ body: (StoreTransaction) throws -> Value
    ) throws -> Value {
        store.setNode(node)
        return try store.write(body)
    }

    /// Adds a waiting download that becomes an object, or a file on the disk of a node.
    @discardableResult
    func add(
        _ name: String,
        home: StoreNode? = nil,
        _ change: (inout WireDownload) -> Void = { _ in }
    ) throws -> Int64 {
        try write(as: home ?? first) { transaction in
            var row = WireDownload(
                id: 0,
                state: .waiting,
                name: name,
                url: "https://host/\(name)",
                createdAt: ContractScene.noon
            )
            row.destination = home == nil ? "s3://bucket/\(name)" : "/folder/"
            change(&row)
            return try transaction.downloads.insert(row, request: .init(body: []))
        }
    }

    func take(
        _ count: Int,
        as node: StoreNode,
        known: [Int64] = []
    ) throws -> [OwnershipTable.Taken] {
        try write(as: node) { try $0.ownership.take(count, known: known) }
    }

    /// Ends the lease of a node, as if it had not renewed it.
    func expire(_ node: StoreNode) async throws {
        try await queue.run(
            "UPDATE node SET leaseUntil = leaseUntil - 60000000 WHERE id = \(node.id)"
        )
    }

    func row(_ id: Int64) throws -> WireDownload? {
        try store.write { try $0.downloads.find(id) }
    }
}
