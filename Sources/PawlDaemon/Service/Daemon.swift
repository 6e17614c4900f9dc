internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Hummingbird
package import Logging
internal import Pawl
package import PawlCore
package import PawlWire

/// The process that carries downloads on: it has the queue and answers at a socket.
package struct Daemon: Sendable {
    package var places: DaemonPlaces
    package var logger: Logger
    /// How many downloads run at a time; nil is as the settings say.
    package var limit: Int?
    /// The socket that it was handed; without one it makes its own.
    package var socket: ListeningSocket?
    /// Where it listens for TCP, too; what is said is kept as a setting.
    package var listen = ListenChoice.remembered
    /// How long clients over TCP may take.
    package var limits = ConnectionLimits()

    package init(places: DaemonPlaces, logger: Logger) {
        self.places = places
        self.logger = logger
    }

    /// Runs until the task is cancelled, then winds up: what ran keeps what came and goes on with
    /// the next start.
    ///
    /// `whenReady` is called with where it answers.
    ///
    /// - Throws: `.alreadyRunning` where another daemon has the store or the socket.
    package func run(
        whenReady: @Sendable @escaping (String) -> Void = { _ in }
    ) async throws(DownloadError) {
        try places.prepare()
        let locks = try locks()
        if socket == nil { try ListeningSocket.checkNobodyListens(at: places.socket) }
        let keeper = try await loadedKeeper(mayBeDamaged: true)
        do throws(DownloadError) {
            try await beginListening(keeper)
        } catch {
            try keeper.store.close()
            throw error
        }
        let failure = await serve(keeper, whenReady)
        // Where it was handed over, somebody goes on listening.
        if socket == nil { unlink(places.socket) }
        try keeper.store.close()
        withExtendedLifetime(locks) {}
        if let failure { throw failure }
    }

    /// An address that was asked for must be free; one that is remembered keeps nobody from downloading.
    private func beginListening(_ keeper: DownloadKeeper) async throws(DownloadError) {
        if let change = DaemonSettingsChange(listen: listen) {
            _ = try await keeper.change(change, by: .user)
            return
        }
        let settings = await keeper.settings
        do throws(DownloadError) {
            let address = settings.listenAddress
            if address != nil { keeper.listener.adopt(try keeper.listener.open(address)) }
        } catch {
            keeper.listener.failed(error)
            logger.warning("there is no API over TCP: \(error)")
        }
    }

    /// A store that was closed well may be damaged all the same: that is met here, and then all of it is
    /// looked at.
    func loadedKeeper(mayBeDamaged: Bool) async throws(DownloadError) -> DownloadKeeper {
        let store = try DaemonStore(path: places.store)
        if let note = store.note { logger.warning("\(note)") }
        do throws(DownloadError) {
            let keeper = DownloadKeeper(try beginning(store), logger: logger)
            try await keeper.load()
            return keeper
        } catch {
            guard mayBeDamaged, store.hasMetDamage else { throw error }
            try store.close()
            return try await loadedKeeper(mayBeDamaged: false)
        }
    }

    private func beginning(
        _ store: DaemonStore
    ) throws(DownloadError) -> DownloadKeeper.Beginning {
        let signer = StoreIdentity.known(beside: places.store)
        let rebuild = QueueRebuild(path: places.store, store: store, keeper: signer)
        if let note = try rebuild.run() { logger.warning("\(note)") }
        let (last, settings, destinations) = try store.write {
            (try $0.lastEvent(), try $0.settings(), try $0.destinations())
        }
        let folders = try FolderRecord(
            path: StoreFiles.folders(of: places.store),
            destinations: destinations
        )
        return DownloadKeeper.Beginning(
            store: store,
            settings: settings,
            folders: folders,
            keeper: identity(),
            listener: NetworkListener(places, limits),
            limit: limit,
            lastEvent: last
        )
    }

    /// A full disk keeps nobody from making room.
    private func identity() -> String? {
        do throws(DownloadError) {
            return try StoreIdentity.make(beside: places.store)
        } catch {
            logger.warning("the queue gets no identity: \(error)")
            return nil
        }
    }

    /// The locks of both folders: of the store, and of the socket where that is another one.
    private func locks() throws(DownloadError) -> [StoreLock] {
        var locks: [StoreLock] = []
        for folder in Self.lockFolders(places) { locks.append(try StoreLock(folder: folder)) }
        return locks
    }

    /// In one order in each process: of two that start at the same time one gets both.
    package static func lockFolders(_ places: DaemonPlaces) -> [String] {
        Set([places.storeFolder, places.socketFolder]).sorted()
    }

    /// Returns the error that ended it; nil where it was cancelled.
    private func serve(
        _ keeper: DownloadKeeper,
        _ whenReady: @Sendable @escaping (String) -> Void
    ) async -> DownloadError? {
        let api = api(keeper)
        let relauncher = Relauncher(keeper: keeper, desk: api.desk, logger: logger)
        let memory = IdleMemory { !keeper.live.isEmpty }
        return await withTaskCancellationHandler {
            await withTaskGroup(of: DownloadError?.self) { group in
                group.addTask {
                    await keeper.run()
                    return nil
                }
                group.addTask {
                    await relauncher.run()
                    return nil
                }
                group.addTask { await answer(api, memory, whenReady) }
                group.addTask {
                    await memory.run()
                    return nil
                }
                group.addTask {
                    await removeOldStores()
                    return nil
                }
                // Either both were cancelled, or the socket failed: then the queue winds up.
                var failure: DownloadError?
                for await end in group {
                    failure = failure ?? end
                    group.cancelAll()
                }
                return failure
            }
        } onCancel: {
            Self.endInAnyCase(logger)
        }
    }

    /// What can be read of damaged ones was taken over before; returns when the task is cancelled.
    private func removeOldStores() async {
        let stores = OldStores(path: places.store)
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
            // The clock may be set. Cancelled is what the loop looks at.
            try? await Task.sleep(for: .seconds(min(max(seconds, 1), 86_400)))
        }
    }

    func api(_ keeper: DownloadKeeper) -> DaemonAPI {
        let about = DaemonStatus(
            version: PawlVersion.current,
            processIdentifier: getpid(),
            startedAt: Date(),
            store: places.store
        )
        return DaemonAPI(
            keeper: keeper,
            store: keeper.store,
            desk: SessionDesk(left: keeper.endings),
            about: about
        )
    }

    private func answer(
        _ api: DaemonAPI,
        _ memory: IdleMemory,
        _ whenReady: @Sendable @escaping (String) -> Void
    ) async -> DownloadError? {
        // What fails is told to who asked; that connections end with the daemon is no error.
        var quiet = logger
        quiet.logLevel = .critical
        let server = SocketServer(
            responder: api.router().buildResponder(),
            logger: quiet,
            memory: memory
        )
        do {
            let socket = try socket ?? ListeningSocket.bind(at: places.socket)
            let listener = api.keeper.listener
            // Who connects there before it is served waits.
            let places = [socket.path, listener.door?.address.url].compactMap(\.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await server.run(.socket(socket.descriptor)) {
                        whenReady(places.joined(separator: " and "))
                    }
                }
                group.addTask {
                    await listener.run { door in try await server.run(.network(door)) {} }
                }
                // Both are cancelled, or the first has failed.
                defer { group.cancelAll() }
                try await group.next()
            }
            return nil
        } catch let error as DownloadError {
            return error
        } catch {
            guard !Task.isCancelled else { return nil }
            return DownloadError(
                .directoryNotUsable,
                "the daemon's socket cannot be used: \(error)",
                advice: "look at the folder's rights",
                context: "listening at \(places.socket)"
            )
        }
    }

    /// What is in the store is safe at any moment, so that an end by force loses nothing of it.
    private static func endInAnyCase(_ logger: Logger) {
        DispatchQueue.global().asyncAfter(deadline: .now() + windUpSeconds) {
            logger.warning("winding up took too long; ending as it is")
            _exit(0)
        }
    }

    /// Promised are five.
    private static let windUpSeconds = 4.5
}
