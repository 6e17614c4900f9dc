import Dispatch
import Glibc
import PawlCore
import Synchronization
import SystemPackage

/// The threads of one origin: one accepts connections, and each connection has its own.
final class OriginServer: Sendable {
    private struct Registry {
        var isStopped = false
        /// Whether the listening socket's descriptor is still open.
        var isListening = true
        var connections: [Int: Int32] = [:]
        var lastConnection = 0
        var greeting = ConnectionGreeting.normal
    }

    let tls: TLSContext?
    /// Whether the ledger keeps the bodies that replies read.
    let keepsBodies: Bool
    let ledger = Observed(OriginSnapshot())
    let routes = Mutex(RouteTable())
    private let socket: OriginSocket
    private let registry = Mutex(Registry())
    /// The threads that have not ended, including the one that accepts connections.
    private let threads = DispatchGroup()

    var port: UInt16 { socket.port }

    init(
        port: UInt16,
        onAllAddresses: Bool = false,
        certificate: TestCertificate??,
        keepsBodies: Bool = true
    ) throws(Errno) {
        self.keepsBodies = keepsBodies
        if let certificate { tls = try TLSContext(certificate) } else { tls = nil }
        socket = try OriginSocket(port: port, onAllAddresses: onAllAddresses)
    }

    func start() throws(Errno) {
        threads.enter()
        do throws(Errno) {
            try BlockingThread.start { [self] in acceptConnections() }
        } catch {
            closeListener()
            throw error
        }
    }

    func setGreeting(_ greeting: ConnectionGreeting) {
        registry.withLock { $0.greeting = greeting }
    }

    /// Breaks every connection and accepts no further ones.
    func stop() {
        registry.withLock { registry in
            guard !registry.isStopped else { return }
            registry.isStopped = true
            if registry.isListening { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
            for descriptor in registry.connections.values {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Waits up to five seconds until all threads have ended, because a custom reply may not
    /// return.
    func waitForThreads() {
        _ = threads.wait(timeout: .now() + .seconds(5))
    }

    func breakConnections() {
        registry.withLock { registry in
            for descriptor in registry.connections.values {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    private func acceptConnections() {
        while let descriptor = socket.accept() {
            guard let number = register(descriptor) else {
                close(descriptor)
                break
            }
            do throws(Errno) {
                try BlockingThread.start { [self] in serve(descriptor, number: number) }
            } catch {
                unregister(number)
            }
        }
        closeListener()
    }

    private func closeListener() {
        registry.withLock { registry in
            close(socket.descriptor)
            registry.isListening = false
        }
        threads.leave()
    }

    private func register(_ descriptor: Int32) -> Int? {
        let number: Int? = registry.withLock { registry in
            guard !registry.isStopped else { return nil }
            registry.lastConnection += 1
            registry.connections[registry.lastConnection] = descriptor
            threads.enter()
            return registry.lastConnection
        }
        guard let number else { return nil }
        let clients = socket.clients
        ledger.update { snapshot in
            snapshot.acceptedConnections += 1
            snapshot.openConnections += 1
            snapshot.peakConnections = max(snapshot.peakConnections, clients)
        }
        return number
    }

    /// Closes the descriptor under the lock, so that `stop` never shuts down a descriptor that was
    /// reused.
    private func unregister(_ number: Int) {
        registry.withLock { registry in
            if let descriptor = registry.connections.removeValue(forKey: number) {
                close(descriptor)
            }
        }
        ledger.update { $0.openConnections -= 1 }
        threads.leave()
    }

    private func serve(_ descriptor: Int32, number: Int) {
        let conversation = Conversation(
            server: self,
            channel: ByteChannel(descriptor: descriptor),
            connection: number,
            greeting: registry.withLock { $0.greeting }
        )
        conversation.run()
        unregister(number)
    }
}
