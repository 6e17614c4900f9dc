internal import Logging
internal import PawlCore

/// Opens the queue of a daemon in a kind of database.
protocol QueueOpening: Sendable {
    associatedtype Store: QueueStore

    /// Where the queue is: a path, or an address without a password.
    var location: String { get }

    /// Opens the database, and creates an empty one if there is none; it blocks.
    func open(_ logger: Logger) throws(DownloadError) -> Store

    /// Prepares the queue in an open database; it blocks.
    ///
    /// If it throws and the store has met damage, the database is to be opened again.
    func prepare(_ store: Store, _ logger: Logger) throws(DownloadError) -> OpenedQueue

    /// Maintains what is beside the queue until the task is cancelled.
    ///
    /// Returns why the daemon must end; `nil` after a cancellation.
    func maintain(_ queue: DaemonQueue, _ logger: Logger) async -> DownloadError?
}

/// An open queue.
struct OpenedQueue: Sendable {
    let store: any QueueStore
    /// The identity of the queue in the checkpoints of its partial files; `nil` if it could not be
    /// stored.
    let identity: String?
    /// The folders of downloads, from which a damaged queue is rebuilt; `nil` if the database is
    /// not a file of this machine.
    var folders: FolderRecord?
    /// Whether daemons of several machines may use the database.
    var isShared = false
}
