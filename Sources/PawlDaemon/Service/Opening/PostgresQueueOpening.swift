internal import Glibc
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlPostgres

/// Opens a queue in a PostgreSQL database.
struct PostgresQueueOpening: QueueOpening {
    private let address: PostgresAddress
    /// The path of the queue that the daemon has without a database.
    private let file: String
    /// The name of the daemon as a node of a fleet; `nil` uses the last name, at first that of the
    /// host.
    private let node: String?

    /// The time between two checks whether the database is available.
    private static let interval: Duration = .seconds(1)

    /// - Throws: `.usage` if the address is not valid.
    init(_ text: String, unusedFile file: String, node: String?) throws(DownloadError) {
        do throws(PostgresError) {
            address = try PostgresAddress(text)
        } catch {
            throw PostgresFailure.explained(error, "reading the address of the store")
        }
        (self.file, self.node) = (file, node)
    }

    var location: String { "PostgreSQL: \(address)" }

    func open(_ logger: Logger) throws(DownloadError) -> PostgresStore {
        let store = try PostgresStore(address.text)
        logger.notice("the queue is in a database (\(address), schema \(store.schema))")
        if access(file, F_OK) == 0 {
            logger.notice("the queue in \(file) is not used, and stays as it is")
        }
        do throws(DownloadError) {
            try join(store, logger)
        } catch {
            try store.close()
            throw error
        }
        return store
    }

    func prepare(_ store: PostgresStore, _ logger: Logger) -> OpenedQueue {
        OpenedQueue(store: store, identity: store.identity, isShared: true)
    }

    /// Makes the daemon a node of the fleet that uses the queue.
    private func join(_ store: PostgresStore, _ logger: Logger) throws(DownloadError) {
        let folder = String(file.pathFolder)
        let stored = MachineIdentity.storedName(in: folder)
        let identity = FleetNode.Identity(
            name: node ?? stored ?? MachineIdentity.hostName,
            machine: MachineIdentity.text(folder: folder),
            version: PawlVersion.current
        )
        try store.join(as: identity) { event in
            switch event {
            case .joined(let node): logger.notice("this daemon is the node '\(node.name)'")
            case .suspended: logger.warning("the lease of this node was not renewed in time")
            case .resumed: logger.debug("the lease of this node is valid")
            case .lost: logger.error("other nodes have declared this one lost")
            }
        }
        if stored != identity.name {
            // Downloads into files of this machine would wait for a node of the old name.
            if let stored { logger.warning("the node '\(stored)' is now '\(identity.name)'") }
            MachineIdentity.store(identity.name, in: folder, logger)
        }
        for home in try store.write({ try $0.ownership.absentHomes() }) {
            logger.notice("\(home.count) downloads wait for the node '\(home.name)'")
        }
    }

    /// Follows what other daemons do to the queue, logs the beginning and the end of each outage, and
    /// ends the daemon if what it knows of the queue may be wrong: another one has taken the queue, or
    /// the outcome of a write is not known.
    func maintain(_ queue: DaemonQueue, _ logger: Logger) async -> DownloadError? {
        await withTaskGroup(of: DownloadError?.self) { group in
            if let store = queue.store as? PostgresStore {
                group.addTask {
                    await RemoteChanges(store, queue, logger).run()
                    return nil
                }
            }
            group.addTask { await watch(queue, logger) }
            // Either both were cancelled, or the queue is lost.
            var end: DownloadError?
            for await other in group {
                end = end ?? other
                group.cancelAll()
            }
            return end
        }
    }

    private func watch(_ queue: DaemonQueue, _ logger: Logger) async -> DownloadError? {
        var isAway = false
        // The loop checks for cancellation.
        while (try? await Task.sleep(for: Self.interval)) != nil {
            if isAway { await queue.store.reconnect() }
            if let reason = queue.store.reasonToReopen {
                logger.error("the daemon ends: \(reason)")
                // The response to the command that has failed is sent first.
                try? await Task.sleep(for: Self.interval)
                return reason
            }
            let problem = queue.store.problem
            guard isAway != (problem != nil) else { continue }
            isAway = problem != nil
            if let problem {
                logger.error("the queue is not available: \(problem)")
            } else {
                logger.notice("the queue is available again")
                await queue.storeIsBack()
            }
        }
        return nil
    }
}
