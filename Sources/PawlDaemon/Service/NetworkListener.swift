internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// Listens for TCP, at an address that can be changed while the daemon runs.
final class NetworkListener: Sendable {
    private struct State {
        var socket: NetworkSocket?
        /// The authenticator of the socket that is being served.
        var served: RequestAuthenticator?
        /// Why it does not listen at the address of the settings.
        var problem: String?
    }

    /// What it knows about proxies; the same for all listeners.
    let proxies: CurrentProxyRules
    /// The certificate of new connections; `nil` if the listener has no TLS.
    let tls: CurrentTLS?
    /// The tokens in a database that several daemons share; `nil` if the tokens are in files.
    let shared: SharedTokens?
    private let paths: DaemonPaths
    private let limits: ConnectionLimits
    /// The command that gives it another address, for errors.
    private let command: ListenCommand
    /// Another secret with the rights of the main token.
    private let secret: String?
    private let state = Mutex(State())
    private let changed = Wakeup()

    init(
        _ paths: DaemonPaths,
        _ limits: ConnectionLimits,
        _ proxies: CurrentProxyRules,
        command: ListenCommand,
        shared: SharedTokens? = nil,
        secret: String? = nil,
        tls: CurrentTLS? = nil
    ) {
        (self.paths, self.limits, self.command) = (paths, limits, command)
        (self.proxies, self.secret, self.tls) = (proxies, secret, tls)
        self.shared = shared
    }

    /// The socket that is served; `nil` if there is none.
    var socket: NetworkSocket? { state.withLock { $0.socket } }

    /// The URL of the socket that is served; `nil` if there is none.
    var url: String? { socket?.address.url(isSecure: tls?.isOn ?? false) }

    var problem: String? { state.withLock { $0.problem } }

    /// Opens a socket, which is served once it is adopted.
    ///
    /// A socket that is open at the address already is used again; without an address there is
    /// none. Throws `.alreadyRunning` if another program listens at the address.
    func open(_ address: ListenAddress?) throws(DownloadError) -> Prepared {
        if let address, let socket, socket.address == address {
            return Prepared(socket: socket, isNew: false)
        }
        var socket = try NetworkSocket(
            address,
            paths,
            proxies,
            command: command,
            shared: shared,
            secret: secret,
            tls: tls,
            beside: self.socket
        )
        socket?.limits = limits.within(openFiles: OpenFileLimit.raise())
        return Prepared(socket: socket, isNew: socket != nil)
    }

    /// A socket that replaces the previous one once it is adopted.
    struct Prepared: Sendable {
        fileprivate var socket: NetworkSocket?
        fileprivate var isNew: Bool

        /// Closes the socket if it is not to be adopted.
        func close() {
            if isNew { socket?.close() }
        }
    }

    func adopt(_ prepared: Prepared) {
        let unserved = state.withLock { state -> NetworkSocket? in
            let old = state.socket
            (state.socket, state.problem) = (prepared.socket, nil)
            guard let old, old.authenticator !== state.served,
                old.authenticator !== prepared.socket?.authenticator
            else {
                return nil
            }
            return old
        }
        // A socket that is served is closed by its server.
        unserved?.close()
        changed.send()
    }

    /// Records that the address of the settings cannot be used; downloads continue.
    func failed(_ error: DownloadError) {
        state.withLock { $0.problem = error.message }
    }

    /// Serves the open socket, until the task is cancelled.
    func run(_ serve: @Sendable @escaping (NetworkSocket) async throws -> Void) async {
        while !Task.isCancelled {
            let next = state.withLock { state in
                state.served = state.socket?.authenticator
                return state.socket
            }
            guard let socket = next else {
                await changed.wait()
                continue
            }
            await withTaskGroup { group in
                group.addTask {
                    do {
                        try await serve(socket)
                    } catch {
                        guard !Task.isCancelled else { return }
                        self.failed(DownloadError(.unknown, "the listener failed: \(error)"))
                    }
                }
                group.addTask { await self.waitForAnother(than: socket) }
                await group.next()
                group.cancelAll()
            }
            // A socket whose server ended by itself is not served again.
            if !Task.isCancelled {
                state.withLock {
                    if $0.socket?.authenticator === socket.authenticator { $0.socket = nil }
                }
            }
        }
    }

    private func waitForAnother(than socket: NetworkSocket) async {
        while !Task.isCancelled, self.socket?.authenticator === socket.authenticator {
            await changed.wait()
        }
    }
}
