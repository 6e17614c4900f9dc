import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Synchronization

/// The databases for the queue, each of which must pass the same tests.
enum StoreKind: CaseIterable, Sendable {
    case sqlite, postgres
}

/// A store of a kind, which no other test uses.
struct ContractScene {
    /// Where the database is.
    private enum Place {
        case folder(ScratchFolder)
        case address(String)
    }

    let store: any QueueStore
    private let place: Place

    private static let lastSchema = Atomic<Int>(0)
    static let noon = StoreScene.noon

    init(_ kind: StoreKind) async throws {
        switch kind {
        case .sqlite: place = .folder(try StoreScene.makeFolder())
        case .postgres: place = .address(try await Self.address(on: .shared()))
        }
        store = try Self.open(place)
    }

    /// Returns the address of a new schema in a server's usual database.
    static func address(on cluster: PostgresCluster) -> String {
        let schema = "queue\(lastSchema.add(1, ordering: .relaxed).newValue)"
        return cluster.address() + " options=-csearch_path=\(schema)"
    }

    private static func open(_ place: Place) throws(DownloadError) -> any QueueStore {
        switch place {
        case .folder(let folder):
            try SQLiteStore(
                path: folder.path(StoreScene.name),
                checkpointDelay: .seconds(3600)
            )
        case .address(let address): try PostgresStore(address)
        }
    }

    /// Closes the store, and opens it again as the next daemon does.
    func reopened() throws -> any QueueStore {
        try store.close()
        return try Self.open(place)
    }

    /// Adds a waiting download with its event.
    ///
    /// Returns its id.
    @discardableResult
    func add(_ name: String = "disk.iso", secret: String = "{}") throws -> Int64 {
        try StoreScene.add(name, secret: secret, to: store)
    }

    func put(_ id: Int64, into state: TaskState, _ kind: WireEvent.Kind) throws {
        try StoreScene.put(id, into: state, kind, in: store)
    }
}
