import Synchronization
package import SystemPackage

/// A real HTTP/1.1 server on 127.0.0.1 whose responses a test composes, and which records all
/// requests.
///
/// Each connection has its own thread, so replies may block. The server stops when the object is
/// released.
package final class ScriptedOrigin: Sendable {
    private let server: OriginServer

    /// Starts on a port that the kernel chooses, unless a port is given.
    ///
    /// Pass the port of a stopped origin to simulate its return.
    package init(tls: Bool = false, port: UInt16 = 0) throws(Errno) {
        server = try OriginServer(port: port, certificate: tls ? .some(.localhost) : nil)
        try server.start()
    }

    /// Starts without a record of the bodies that replies read themselves, for large ones.
    package init(
        tls: Bool = false,
        onAllAddresses: Bool = false,
        keepsBodies: Bool
    ) throws(Errno) {
        server = try OriginServer(
            port: 0,
            onAllAddresses: onAllAddresses,
            certificate: tls ? .some(.localhost) : nil,
            keepsBodies: keepsBodies
        )
        try server.start()
    }

    /// Starts on all addresses of this machine, so that a network namespace can reach it.
    package init(onAllAddresses: Bool) throws(Errno) {
        server = try OriginServer(port: 0, onAllAddresses: onAllAddresses, certificate: nil)
        try server.start()
    }

    /// Starts with TLS and the given certificate; throws if the certificate is `nil`.
    package init(certificate: TestCertificate?, port: UInt16 = 0) throws(Errno) {
        server = try OriginServer(port: port, certificate: .some(certificate))
        try server.start()
    }

    deinit { server.stop() }

    package var port: UInt16 { server.port }

    /// Returns the URL of a path; with the host `localhost`, a client treats it as another origin.
    package func url(_ path: String, host: String = "127.0.0.1") -> String {
        "\(server.tls == nil ? "http" : "https")://\(host):\(port)\(path)"
    }

    /// The certificate in PEM, for a client to trust; `nil` without TLS.
    package var certificatePEM: String? { server.tls?.certificate.pem }

    /// Sets the reply for a path and resets its request count.
    ///
    /// `/folder/*` matches every path below that has no route of its own. A path with a query takes
    /// precedence over the path alone.
    ///
    /// The body of a request is read before the reply, unless the reply reads it itself
    /// (`OriginConnection.readBody`). What such a reply leaves of it is read after it.
    package func route(_ path: String, _ reply: Reply, readsBody: Bool = false) {
        server.routes.withLock { $0.set(path, reply, readsBody: readsBody) }
    }

    /// Sets the reply for targets without a route, which is 404 by default.
    package func routeDefault(_ reply: Reply) { server.routes.withLock { $0.setDefault(reply) } }

    /// Replaces the file on the server for later requests.
    ///
    /// Every `.resource` in that route's reply serves the new resource. Running responses continue
    /// with the old bytes, as from an open file.
    package func replace(_ path: String, with resource: Resource) {
        server.routes.withLock { $0.replace(path, with: resource) }
    }

    /// Sets the origin's first action on later connections.
    package func greet(_ greeting: ConnectionGreeting) { server.setGreeting(greeting) }

    /// Breaks all open connections without close_notify, but accepts new ones.
    package func breakConnections() { server.breakConnections() }

    /// Breaks all connections, refuses new ones, and waits until the threads have ended.
    package func stop() {
        server.stop()
        server.waitForThreads()
    }

    /// The state of the origin at this moment.
    package var snapshot: OriginSnapshot { server.ledger.value }

    /// The requests so far, in order of arrival.
    package var requests: [RecordedRequest] { snapshot.requests }

    /// Returns the requests so far whose target, without its query, is the given path.
    package func requests(to path: String) -> [RecordedRequest] { snapshot.requests(to: path) }

    /// Waits until the origin has received `count` requests.
    @discardableResult
    package func waitForRequests(_ count: Int) async -> [RecordedRequest] {
        await waitUntil { $0.requests.count >= count }.requests
    }

    /// Waits until the origin has sent `count` content bytes in all responses.
    package func waitForBytes(_ count: Int64) async {
        await waitUntil { $0.bodyBytesSent >= count }
    }

    /// Waits until every exchange has ended and every connection is closed.
    @discardableResult
    package func waitForQuiet() async -> OriginSnapshot {
        await waitUntil { $0.activeExchanges == 0 && $0.openConnections == 0 }
    }

    /// Waits for the first snapshot that meets the condition and returns it.
    ///
    /// When the task is cancelled by its time limit, returns the last snapshot. The closure must
    /// not use the origin.
    @discardableResult
    package func waitUntil(_ holds: @escaping @Sendable (OriginSnapshot) -> Bool) async
        -> OriginSnapshot
    {
        await server.ledger.wait(until: holds)
    }
}
