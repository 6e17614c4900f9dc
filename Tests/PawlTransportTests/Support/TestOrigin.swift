import Glibc
import Synchronization

import struct FoundationEssentials.URL

/// A TCP server on the loopback that runs a script on a thread for each connection.
final class TestOrigin: Sendable {
    typealias Script = @Sendable (OriginConnection) throws -> Void

    let port: Int
    private let listener: Int32
    private let script: Script
    private let tls: TLSServer?
    private let accepted = Atomic<Int>(0)

    init(tls: TLSServer? = nil, _ script: @escaping Script) throws {
        self.script = script
        self.tls = tls
        (listener, port) = try listen(backlog: 512)
        FirstPacket.save(of: listener)
        let listener = listener
        spawnThread { [weak self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0, let self else {
                    // Closed only here: elsewhere its number might already belong to another
                    // socket.
                    if descriptor >= 0 { close(descriptor) }
                    close(listener)
                    return
                }
                self.serve(descriptor)
            }
        }
    }

    /// Ends the thread that accepts.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    var connections: Int { accepted.load(ordering: .relaxed) }

    func url(_ path: String = "/", host: String = "127.0.0.1") throws -> URL {
        try makeURL("http\(tls == nil ? "" : "s")://\(host):\(port)\(path)")
    }

    private func serve(_ descriptor: Int32) {
        accepted.add(1, ordering: .relaxed)
        let (script, tls) = (script, tls)
        spawnThread {
            let connection = OriginConnection(descriptor: descriptor, tls: tls)
            // A script throws if the client has left. Tests notice that on their side.
            try? script(connection)
            connection.close()
        }
    }
}

/// The origin's side of one connection.
///
/// `@unchecked`: only the connection's own thread uses it.
final class OriginConnection: @unchecked Sendable {
    struct Gone: Error {}

    private let descriptor: Int32
    private var session: TLSSession?

    init(descriptor: Int32, tls: TLSServer?) {
        self.descriptor = descriptor
        session = tls?.accept(descriptor)
    }

    /// The client's first packet.
    var firstPacket: FirstPacket? { FirstPacket(of: descriptor) }

    /// The lines of the next request's head.
    func readHead() throws -> [String] {
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            guard let byte = readByte() else { throw Gone() }
            head.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return head.split(separator: "\r\n").map(String.init)
    }

    /// Reads that many bytes of a request's body.
    func read(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let byte = readByte() else { throw Gone() }
            bytes.append(byte)
        }
        return bytes
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                session?.write(bytes)
                    ?? Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Gone() }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns when the client has closed.
    func waitForClose() {
        while readByte() != nil {}
    }

    /// Ends the connection with a TCP reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_LINGER,
            &option,
            socklen_t(MemoryLayout<linger>.size)
        )
        cut()
    }

    /// Ends the connection without TLS's `close_notify`.
    func cut() {
        session?.end(notifying: false)
        session = nil
    }

    func close() {
        session?.end(notifying: true)
        session = nil
        Glibc.close(descriptor)
    }

    private func readByte() -> UInt8? {
        var byte: UInt8 = 0
        let count = session?.read(&byte) ?? recv(descriptor, &byte, 1, 0)
        return count == 1 ? byte : nil
    }
}

struct SupportFailure: Error {
    var message: String
}

func makeURL(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw SupportFailure(message: "no URL: \(text)") }
    return url
}

/// A listening socket on a free port of the loopback.
func listen(backlog: Int32) throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port: 0)
    let bound = withSocketAddress(&address) { bind(descriptor, $0, $1) }
    guard bound == 0, Glibc.listen(descriptor, backlog) == 0 else {
        throw SupportFailure(message: "cannot listen: \(errno)")
    }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withSocketAddress(&address) { pointer, _ in getsockname(descriptor, pointer, &length) }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}

func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

func withSocketAddress<Result>(
    _ address: inout sockaddr_in,
    _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

func spawnThread(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let body = Unmanaged.passRetained(ThreadBody(run))
    let code = pthread_create(
        &thread,
        nil,
        { argument in
            guard let argument else { return nil }
            // OpenSSL writes to connections that the client may have closed.
            var pipe = sigset_t()
            sigaddset(&pipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &pipe, nil)
            Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        },
        body.toOpaque()
    )
    if code == 0 { pthread_detach(thread) } else { body.release() }
}
