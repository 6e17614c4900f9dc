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
    /// Where it listens for TCP, too; nil is nowhere.
    package var listen: ListenAddress?
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
        if listen != nil { OpenFileLimit.raise() }
        let locks = try locks()
        if socket == nil { try ListeningSocket.checkNobodyListens(at: places.socket) }
        var network = try NetworkDoor(listen, AccessTokenFile(places))
        network?.limits = limits
        let keeper = try await loadedKeeper(mayBeDamaged: true)
        let failure = await serve(keeper, network, whenReady)
        // Where it was handed over, somebody goes on listening.
        if socket == nil { unlink(places.socket) }
        try keeper.store.close()
        withExtendedLifetime(locks) {}
        if let failure { throw failure }
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
        let rebuild = QueueRebuild(path: places.store, store: store)
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
            limit: limit,
            lastEvent: last
        )
    }

    /// The locks of both folders: of the store, and of the socket where that is another one.
    private func locks() throws(DownloadError) -> [StoreLock] {
        var locks: [StoreLock] = []
        for folder in Set([places.storeFolder, places.socketFolder]) {
            locks.append(try StoreLock(folder: folder))
        }
        return locks
    }

    /// Returns the error that ended it; nil where it was cancelled.
    private func serve(
        _ keeper: DownloadKeeper,
        _ network: NetworkDoor?,
        _ whenReady: @Sendable @escaping (String) -> Void
    ) async -> DownloadError? {
        let api = api(keeper, network)
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
                group.addTask { await answer(api, network, memory, whenReady) }
                group.addTask {
                    await memory.run()
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

    func api(_ keeper: DownloadKeeper, _ network: NetworkDoor?) -> DaemonAPI {
        var about = DaemonStatus(
            version: PawlVersion.current,
            processIdentifier: getpid(),
            startedAt: Date(),
            store: places.store
        )
        about.url = network?.address.url
        return DaemonAPI(
            keeper: keeper,
            store: keeper.store,
            desk: SessionDesk(left: keeper.endings),
            about: about,
            gate: network?.gate
        )
    }

    private func answer(
        _ api: DaemonAPI,
        _ network: NetworkDoor?,
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
            guard let network else {
                try await server.run(.socket(socket.descriptor)) { whenReady(socket.path) }
                return nil
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (first, last) = ("\(socket.path)", network.address.url)
                let ready = ReadyCount(2) { whenReady("\(first) and \(last)") }
                group.addTask { try await server.run(.socket(socket.descriptor), ready.one) }
                group.addTask { try await server.run(.network(network), ready.one) }
                // Both are cancelled, or one has failed.
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
