internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Hummingbird
package import Logging
internal import Pawl
package import PawlCore
package import PawlWire

/// The daemon: it runs the downloads of the queue, and answers requests at a socket.
package struct Daemon: Sendable {
    package var paths: DaemonPaths
    package var logger: Logger
    /// Where the queue is.
    package var store = StoreChoice.file
    /// The name of the daemon among those that share a database; `nil` uses the name of the host.
    package var node: String?
    /// The maximum number of downloads that run at the same time; `nil` uses the setting.
    package var limit: Int?
    /// The socket from the service manager; without one the daemon creates its own.
    package var socket: ListeningSocket?
    /// The settings that change with the start: the listeners and their proxies.
    package var change = DaemonSettingsChange()
    /// What the command line of aria2 has asked for, if it has started the daemon.
    package var aria2Launch: Aria2Launch?
    /// The limits of clients over TCP.
    package var limits = ConnectionLimits()

    package init(paths: DaemonPaths, logger: Logger) {
        self.paths = paths
        self.logger = logger
    }

    /// Runs until the task is cancelled, then shuts down: running downloads keep what they have
    /// received, and continue with the next start.
    ///
    /// `whenReady` is called with the addresses that the daemon listens at.
    ///
    /// - Throws: `.alreadyRunning` if another daemon has the store or the socket.
    package func run(
        whenReady: @Sendable @escaping (String) -> Void = { _ in }
    ) async throws(DownloadError) {
        try paths.prepare()
        let locks = try locks()
        if socket == nil { try ListeningSocket.checkNobodyListens(at: paths.socket) }
        let opening = try queueOpening()
        let queue = try await loadedQueue(opening, mayBeDamaged: true)
        do throws(DownloadError) {
            try await beginListening(queue)
            if let aria2Launch {
                await Aria2LaunchWork(launch: aria2Launch, queue: queue, logger: logger).run()
            }
        } catch {
            try queue.store.close()
            throw error
        }
        let failure = await serve(queue, opening, locks, whenReady)
        Self.enter(.stopping, locks)
        // The service manager continues to listen at its socket, and so does a daemon that has
        // started after the folder was removed.
        if socket == nil, locks.allSatisfy(\.isInPlace) { unlink(paths.socket) }
        try queue.store.close()
        withExtendedLifetime(locks) {}
        if let failure { throw failure }
    }

    /// Opens the TCP listeners.
    ///
    /// If an address was given, it must be free. If an address from the settings is taken, the
    /// daemon runs without that listener.
    private func beginListening(_ queue: DaemonQueue) async throws(DownloadError) {
        if !change.isEmpty { _ = try await queue.change(change, by: .user) }
        let settings = await queue.storedSettings
        let problem = certificateProblem(queue.listener, settings)
        // The change has opened those that it concerns.
        if queue.listener.socket == nil {
            let effect = "the API is not available over TCP"
            open(queue.listener, settings.listenAddress, problem, effect)
        }
        if queue.aria2Listener.socket == nil {
            let address = settings.aria2Address
            // Programs of this machine may connect without TLS.
            let problem = address?.isLoopback == true ? nil : problem
            open(queue.aria2Listener, address, problem, "clients of aria2 cannot connect")
        }
    }

    /// Reads the certificate for both listeners, unless the change has; returns why it cannot be used.
    private func certificateProblem(
        _ listener: NetworkListener,
        _ settings: DaemonSettings
    ) -> DownloadError? {
        guard let tls = listener.tls, !tls.isOn else { return nil }
        do throws(DownloadError) {
            tls.set(try CurrentTLS.load(settings))
            return nil
        } catch {
            return error
        }
    }

    /// `problem`: why the listener cannot be used; `nil` if that is not known.
    private func open(
        _ listener: NetworkListener,
        _ address: ListenAddress?,
        _ problem: DownloadError?,
        _ effect: String
    ) {
        guard let address else { return }
        if let problem { return failed(listener, problem, effect) }
        do throws(DownloadError) {
            listener.adopt(try listener.open(address))
        } catch {
            failed(listener, error, effect)
        }
    }

    private func failed(_ listener: NetworkListener, _ error: DownloadError, _ effect: String) {
        listener.failed(error)
        logger.warning("\(effect): \(error)")
    }

    /// Opens the store and loads the queue.
    ///
    /// If that finds damage, the store is opened again with a check of the whole database.
    private func loadedQueue<Opening: QueueOpening>(
        _ opening: Opening,
        mayBeDamaged: Bool
    ) async throws(DownloadError) -> DaemonQueue {
        let store = try opening.open(logger)
        do throws(DownloadError) {
            let opened = try opening.prepare(store, logger)
            let queue = DaemonQueue(try initialState(opened), logger: logger)
            try await queue.load()
            return queue
        } catch {
            guard mayBeDamaged, store.hasMetDamage else { throw error }
            try store.close()
            return try await loadedQueue(opening, mayBeDamaged: false)
        }
    }

    private func initialState(
        _ opened: OpenedQueue
    ) throws(DownloadError) -> InitialQueue {
        let (last, settings) = try opened.store.write {
            (try $0.events.last(), try $0.settings.settings())
        }
        let (proxies, tls) = (CurrentProxyRules(), CurrentTLS(logger: logger))
        let shared = try sharedTokens(opened)
        return InitialQueue(
            store: opened.store,
            settings: settings,
            folders: opened.folders,
            identity: opened.identity,
            listener: NetworkListener(
                paths,
                limits,
                proxies,
                command: .listen,
                shared: shared,
                tls: tls
            ),
            aria2Listener: NetworkListener(
                paths,
                limits,
                proxies,
                command: aria2Launch == nil ? .aria2RPC : .aria2Program,
                shared: shared,
                secret: aria2Launch?.secret,
                tls: tls
            ),
            limit: limit,
            lastEvent: last
        )
    }

    /// Returns the tokens in the database; `nil` if the queue is in a file, and the tokens, too.
    private func sharedTokens(_ opened: OpenedQueue) throws(DownloadError) -> SharedTokens? {
        let mark = SharedTokensMark(paths)
        guard opened.isShared else {
            mark.remove()
            return nil
        }
        let tokens = try SharedTokens(opened.store, main: AccessTokenFile(paths))
        try mark.create()
        return tokens
    }

    /// What opens the queue that was chosen.
    private func queueOpening() throws(DownloadError) -> any QueueOpening {
        switch store {
        case .file: FileQueueOpening(location: paths.store)
        case .postgres(let address):
            try PostgresQueueOpening(address, unusedFile: paths.store, node: node)
        }
    }

    /// Locks the folder of the store, and that of the socket if it is another one.
    private func locks() throws(DownloadError) -> [StoreLock] {
        var locks: [StoreLock] = []
        for folder in Self.lockFolders(paths) { locks.append(try StoreLock(folder: folder)) }
        return locks
    }

    /// Tells clients what the daemon is doing, so that they wait while it starts and stops.
    private static func enter(_ phase: StoreLock.Phase, _ locks: [StoreLock]) {
        for lock in locks { lock.enter(phase) }
    }

    /// The folders in the same order in each process: if two daemons start at the same time, one of
    /// them gets both locks.
    package static func lockFolders(_ paths: DaemonPaths) -> [String] {
        Set([paths.storeFolder, paths.socketFolder]).sorted()
    }

    /// Returns the error that ended the daemon; `nil` if it was cancelled.
    private func serve(
        _ queue: DaemonQueue,
        _ opening: any QueueOpening,
        _ locks: [StoreLock],
        _ whenReady: @Sendable @escaping (String) -> Void
    ) async -> DownloadError? {
        let feedRunner = FeedRunner(queue: queue, logger: logger)
        let api = api(queue, feedRunner, opening.location)
        let audit = AuditLog(path: paths.audit)
        let aria2 = Aria2Service(queue, aria2Launch, audit)
        let (relauncher, hookRunner) = programRunners(queue, api.attachments)
        let memory = IdleMemory { !queue.running.isEmpty }
        return await withTaskCancellationHandler {
            await withTaskGroup(of: DownloadError?.self) { group in
                group.addTask {
                    await queue.run()
                    return nil
                }
                group.addTask {
                    await relauncher.run()
                    return nil
                }
                group.addTask {
                    await hookRunner.run()
                    return nil
                }
                group.addTask {
                    await feedRunner.run()
                    return nil
                }
                group.addTask {
                    await answer(api, aria2, memory) { address in
                        Self.enter(.listening, locks)
                        whenReady(address)
                    }
                }
                group.addTask {
                    await memory.run()
                    return nil
                }
                group.addTask { await maintain(opening, queue) }
                group.addTask {
                    await aria2.shutDown.wait()
                    if !Task.isCancelled { Self.exitIfSlow(logger) }
                    return nil
                }
                if let conditions = aria2Launch?.stopConditions, !conditions.isEmpty {
                    group.addTask {
                        await StopCondition.waitForFirst(conditions)
                        if !Task.isCancelled { Self.exitIfSlow(logger) }
                        return nil
                    }
                }
                // Either all were cancelled, or the socket has failed, or a client or the command
                // line of aria2 ends the daemon: then the queue shuts down.
                var failure: DownloadError?
                for await end in group {
                    failure = failure ?? end
                    group.cancelAll()
                }
                return failure
            }
        } onCancel: {
            Self.enter(.stopping, locks)
            Self.exitIfSlow(logger)
        }
    }

    /// Returns what runs the commands of sessions, and the programs of hooks.
    private func programRunners(
        _ queue: DaemonQueue,
        _ attachments: SessionAttachments
    ) -> (Relauncher, HookRunner) {
        let environment = store.programEnvironment
        return (
            Relauncher(
                queue: queue,
                attachments: attachments,
                environment: environment,
                logger: logger
            ),
            HookRunner(queue: queue, environment: environment, logger: logger)
        )
    }

    /// Maintains what is beside the queue; returns why the daemon must end.
    private func maintain(
        _ opening: any QueueOpening,
        _ queue: DaemonQueue
    ) async -> DownloadError? {
        let end = await opening.maintain(queue, logger)
        // What cannot be recorded would delay the shutdown without an end.
        if let end { Self.exitIfSlow(logger, status: end.code.exitStatus) }
        return end
    }

    private func api(
        _ queue: DaemonQueue,
        _ feedRunner: FeedRunner,
        _ location: String
    ) -> DaemonAPI {
        let about = DaemonStatus(
            version: PawlVersion.current,
            processIdentifier: getpid(),
            startedAt: Date(),
            store: location
        )
        return DaemonAPI(
            queue: queue,
            attachments: SessionAttachments(detached: queue.endings),
            feedRunner: feedRunner,
            about: about,
            paths: paths
        )
    }

    private func answer(
        _ api: DaemonAPI,
        _ aria2: Aria2Service,
        _ memory: IdleMemory,
        _ whenReady: @Sendable @escaping (String) -> Void
    ) async -> DownloadError? {
        // Clients receive the errors; connections that end with the daemon are not errors.
        var quiet = logger
        quiet.logLevel = .critical
        let register = ConnectionRegister(limits.within(openFiles: OpenFileLimit.raise()))
        let server = SocketServer(
            responder: api.router().buildResponder(),
            logger: quiet,
            memory: memory,
            audit: aria2.audit,
            register: register
        )
        do {
            let socket = try socket ?? ListeningSocket.bind(at: paths.socket)
            let (listener, aria2Listener) = (api.queue.listener, api.queue.aria2Listener)
            let aria2Server = Aria2Server(service: aria2, memory: memory, register: register)
            // A client that connects before the server runs has to wait.
            let addresses = [
                socket.path, listener.url, aria2Listener.url,
            ].compactMap(\.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await server.run(.socket(socket.descriptor)) {
                        whenReady(addresses.joined(separator: " and "))
                    }
                }
                group.addTask {
                    await listener.run { try await server.run(.network($0)) {} }
                }
                group.addTask {
                    await aria2Listener.run { try await aria2Server.run($0) }
                }
                // Both were cancelled, or the first has failed.
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
                advice: "check the folder's permissions",
                context: "listening at \(paths.socket)"
            )
        }
    }

    /// Ends the process if the shutdown takes too long; the store is consistent at any moment.
    private static func exitIfSlow(_ logger: Logger, status: Int32 = 0) {
        DispatchQueue.global().asyncAfter(deadline: .now() + shutDownSeconds) {
            logger.warning("the shutdown took too long; the daemon exits now")
            _exit(status)
        }
    }

    /// The documented limit is five seconds.
    private static let shutDownSeconds = 4.5
}
