internal import FoundationEssentials
internal import Logging
internal import PawlCore

/// Opens a queue in a file of this machine.
struct FileQueueOpening: QueueOpening {
    /// The path of the file.
    let location: String

    func open(_ logger: Logger) throws(DownloadError) -> SQLiteStore {
        let store = try SQLiteStore(path: location)
        if let note = store.note { logger.warning("\(note)") }
        return store
    }

    func prepare(_ store: SQLiteStore, _ logger: Logger) throws(DownloadError) -> OpenedQueue {
        let known = StoreIdentity.known(beside: location)
        let rebuild = QueueRebuild(path: location, store: store, identity: known)
        if let note = try rebuild.run() { logger.warning("\(note)") }
        let destinations = try store.write { try $0.downloads.destinations() }
        let folders = try FolderRecord(
            path: StoreFiles.folders(of: location),
            destinations: destinations
        )
        return OpenedQueue(store: store, identity: makeIdentity(logger), folders: folders)
    }

    /// Returns `nil` if the identity cannot be written: on a full disk, the user must still be able
    /// to free space.
    private func makeIdentity(_ logger: Logger) -> String? {
        do throws(DownloadError) {
            return try StoreIdentity.make(beside: location)
        } catch {
            logger.warning("the identity of the queue was not stored: \(error)")
            return nil
        }
    }

    /// Removes old databases when it is time.
    func maintain(_ queue: DaemonQueue, _ logger: Logger) async -> DownloadError? {
        let stores = OldStores(path: location)
        while !Task.isCancelled {
            let now = Date()
            let removal = stores.removeOld(at: now)
            for path in removal.removed {
                logger.notice("\(path), which was no longer used, was overwritten and removed")
            }
            for path in removal.failed {
                logger.warning("\(path), which is no longer used, cannot be removed")
            }
            let seconds = stores.nextRemoval(after: now)?.timeIntervalSinceNow ?? .infinity
            // The clock may be set, so the wait is bounded. The loop checks for cancellation.
            try? await Task.sleep(for: .seconds(min(max(seconds, 1), 86_400)))
        }
        return nil
    }
}
