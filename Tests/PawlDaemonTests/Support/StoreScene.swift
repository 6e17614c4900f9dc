import FoundationEssentials
import Glibc
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire

/// A store in its own folder.
struct StoreScene {
    let folder: ScratchFolder
    let store: SQLiteStore

    /// `checkpointDelay`: by default, the log is never written to the database, so that the files
    /// can be copied.
    init(checkpointDelay: Duration = .seconds(3600)) throws {
        folder = try Self.makeFolder()
        store = try SQLiteStore(path: folder.path(Self.name), checkpointDelay: checkpointDelay)
    }

    init(_ folder: ScratchFolder, _ store: SQLiteStore) {
        (self.folder, self.store) = (folder, store)
    }

    static let name = "queue.sqlite"

    /// In memory if possible: each commit is synced, and the disk is not what is tested.
    static func makeFolder() throws -> ScratchFolder {
        try ScratchFolder(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
    }

    static let noon = Date(timeIntervalSince1970: 1_795_262_400)

    /// Adds a waiting download with its event.
    ///
    /// Returns its id.
    @discardableResult
    func add(_ name: String = "disk.iso", secret: String = "{}") throws -> Int64 {
        try Self.add(name, secret: secret, to: store)
    }

    static func add(_ name: String, secret: String = "{}", to store: any QueueStore) throws -> Int64
    {
        try store.write { transaction in
            var row = WireDownload(
                id: 0,
                state: .waiting,
                name: name,
                url: "https://host/\(name)",
                createdAt: noon
            )
            // Rebuilding a queue looks for files there.
            row.destination = "/nowhere/"
            row.id = try transaction.downloads.insert(row, request: .init(body: Array(secret.utf8)))
            try transaction.events.append(.added, row, at: noon)
            return row.id
        }
    }

    func put(_ id: Int64, into state: TaskState, _ kind: WireEvent.Kind) throws {
        try Self.put(id, into: state, kind, in: store)
    }

    static func put(
        _ id: Int64,
        into state: TaskState,
        _ kind: WireEvent.Kind,
        in store: any QueueStore
    ) throws {
        try store.write { transaction in
            guard var row = try transaction.downloads.find(id) else { return }
            row.state = state
            row.endedAt = state.isEnd ? noon : nil
            try transaction.downloads.save(row)
            try transaction.events.append(kind, row, at: noon)
        }
    }

    /// Everything that a store contains, in a comparable form.
    static func contents(_ store: any QueueStore) async throws -> Contents {
        try await store.read { transaction in
            var query = ListQuery()
            query.limit = ListQuery.mostLimit
            return Contents(
                downloads: try transaction.search.list(query).downloads,
                events: try transaction.events.list(after: 0, limit: 100_000)
            )
        }
    }

    struct Contents: Hashable, Sendable {
        var downloads: [WireDownload]
        var events: [WireEvent]
    }
}
