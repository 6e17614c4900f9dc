import Synchronization
package import SystemPackage

/// A real HTTP/1.1 server on 127.0.0.1 whose answers a test composes, and which remembers what
/// it was asked.
///
/// Each connection has a thread of its own, so that replies may block. It stops when it is let go.
package final class ScriptedOrigin: Sendable {
    private let server: OriginServer

    /// Starts on a port that the kernel chooses, unless one is given (that of an origin which was
    /// stopped, so that it seems to come back).
    package init(tls: Bool = false, port: UInt16 = 0) throws(Errno) {
        server = try OriginServer(port: port, certificate: tls ? .some(.localhost) : nil)
        try server.start()
    }

    /// Starts on all addresses of this machine, to be reached from a namespace.
    package init(onAllAddresses: Bool) throws(Errno) {
        server = try OriginServer(port: 0, onAllAddresses: onAllAddresses, certificate: nil)
        try server.start()
    }

    /// Starts with TLS and that certificate; nil, where it could not be made, throws.
    package init(certificate: TestCertificate?, port: UInt16 = 0) throws(Errno) {
        server = try OriginServer(port: port, certificate: .some(certificate))
        try server.start()
    }

    deinit { server.stop() }

    package var port: UInt16 { server.port }

    /// The URL of a path; `localhost` as host makes it another origin to a client.
    package func url(_ path: String, host: String = "127.0.0.1") -> String {
        "\(server.tls == nil ? "http" : "https")://\(host):\(port)\(path)"
    }

    /// The certificate in PEM, to be trusted; nil without TLS.
    package var certificatePEM: String? { server.tls?.certificate.pem }

    /// Answers a path from now on, and counts its requests anew.
    ///
    /// `/folder/*` is every path below that has no route of its own; a path with a query goes
    /// before the path alone.
    package func route(_ path: String, _ reply: Reply) {
        server.routes.withLock { $0.set(path, reply) }
    }

    /// Answers what has no route; 404 unless it is set.
    package func routeDefault(_ reply: Reply) { server.routes.withLock { $0.setDefault(reply) } }

    /// The file changes on the server: every `.resource` in that route's reply serves this one to
    /// requests from now on; running answers go on with the old bytes, as from an open file.
    package func replace(_ path: String, with resource: Resource) {
        server.routes.withLock { $0.replace(path, with: resource) }
    }

    /// What is done with connections from now on.
    package func greet(_ greeting: ConnectionGreeting) { server.setGreeting(greeting) }

    /// Breaks all connections that are open, without close_notify; new ones are accepted.
    package func breakConnections() { server.breakConnections() }

    /// Breaks all connections and refuses new ones; its threads have ended when this returns.
    package func stop() {
        server.stop()
        server.waitForThreads()
    }

    /// All that happened so far.
    package var snapshot: OriginSnapshot { server.ledger.value }

    /// The requests so far, in the order of their arrival.
    package var requests: [RecordedRequest] { snapshot.requests }

    /// The requests so far whose target, without its query, is that path.
    package func requests(to path: String) -> [RecordedRequest] { snapshot.requests(to: path) }

    /// Waits until so many requests have come.
    @discardableResult
    package func waitForRequests(_ count: Int) async -> [RecordedRequest] {
        await waitUntil { $0.requests.count >= count }.requests
    }

    /// Waits until so many content bytes were sent, by all answers together.
    package func waitForBytes(_ count: Int64) async {
        await waitUntil { $0.bodyBytesSent >= count }
    }

    /// Waits until every exchange has ended and every connection is closed.
    @discardableResult
    package func waitForQuiet() async -> OriginSnapshot {
        await waitUntil { $0.activeExchanges == 0 && $0.openConnections == 0 }
    }

    /// Returns the first snapshot for which this holds, or, when the task is cancelled by its time
    /// limit, the last one.
    ///
    /// The closure may not touch the origin.
    @discardableResult
    package func waitUntil(_ holds: @escaping @Sendable (OriginSnapshot) -> Bool) async
        -> OriginSnapshot
    {
        await server.ledger.wait(until: holds)
    }
}
