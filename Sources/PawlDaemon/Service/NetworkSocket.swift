internal import CPlatform
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// A TCP socket that listens, and the authenticator of its requests.
struct NetworkSocket: Sendable {
    let descriptor: Int32
    /// The address, with the port that the system has chosen.
    let address: ListenAddress
    let authenticator: RequestAuthenticator
    /// The certificate of new connections; `nil` if the listener has no TLS.
    let tls: CurrentTLS?
    var limits = ConnectionLimits()

    /// Opens the socket; returns `nil` without an address.
    ///
    /// Throws `.alreadyRunning` if another program listens at the address.
    ///
    /// - Parameters:
    ///   - command: The command that gives another address, for errors.
    ///   - shared: The tokens in a database that several daemons share; `nil` if there is none.
    ///   - secret: Another secret with the rights of the main token.
    ///   - tls: The certificate of new connections.
    ///   - own: The socket that the new one replaces, which may have the same port.
    init?(
        _ wanted: ListenAddress?,
        _ paths: DaemonPaths,
        _ proxies: CurrentProxyRules,
        command: ListenCommand,
        shared: SharedTokens?,
        secret: String?,
        tls: CurrentTLS?,
        beside own: NetworkSocket? = nil
    ) throws(DownloadError) {
        guard var address = wanted else { return nil }
        let keys = try AccessKeys(
            AccessTokenFile(paths),
            NamedTokenFile(paths),
            shared: shared,
            secret: secret
        )
        let replaced = own.flatMap { $0.address.port == address.port ? $0.descriptor : nil }
        descriptor = try Self.open(address, command, beside: replaced)
        if let port = UInt16(exactly: pawl_socket_port(descriptor)) { address.port = port }
        (self.address, self.tls) = (address, tls)
        authenticator = RequestAuthenticator(address, keys: keys, proxies)
    }

    /// Closes a socket that is not served yet.
    func close() { Glibc.close(descriptor) }

    /// `own`: the socket of this process that listens at the same port, such as that of 127.0.0.1 if
    /// the new one is for all addresses.
    private static func open(
        _ address: ListenAddress,
        _ command: ListenCommand,
        beside own: Int32?
    ) throws(DownloadError) -> Int32 {
        let family = address.host.isIPv6 ? AF_INET6 : AF_INET
        let descriptor = socket(family, UnixAddress.stream | UnixAddress.closesOnExec, 0)
        guard descriptor >= 0 else { throw failure(address, command, errno) }
        // Otherwise, closed connections of an earlier daemon keep the port for a while.
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
        // Both may listen if both allow it meanwhile; no other program may.
        let sharing = own.map { [$0, descriptor] } ?? []
        for socket in sharing { setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &one, size) }
        defer {
            var zero: Int32 = 0
            for socket in sharing { setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &zero, size) }
        }
        let code = address.host.isIPv6 ? bind6(descriptor, address) : bind4(descriptor, address)
        // Two sockets may be bound to the same port, but only one of them can listen.
        guard code == 0, listen(descriptor, 256) == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw failure(address, command, number)
        }
        return descriptor
    }

    private static func bind4(_ descriptor: Int32, _ wanted: ListenAddress) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: wanted.host.bytes) }
        return bind(descriptor, &address)
    }

    private static func bind6(_ descriptor: Int32, _ wanted: ListenAddress) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = wanted.port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: wanted.host.bytes) }
        return bind(descriptor, &address)
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        let size = socklen_t(MemoryLayout<Address>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, size)
            }
        }
    }

    private static func failure(
        _ address: ListenAddress,
        _ command: ListenCommand,
        _ code: Int32
    ) -> DownloadError {
        DownloadError(
            code == EADDRINUSE ? .alreadyRunning : .directoryNotUsable,
            "the daemon cannot listen at \(address.text): \(String(cString: strerror(code)))",
            advice: "give another port: \(command.text(host: address.hostText))"
        )
    }
}
