internal import Glibc

/// A TCP socket that listens on 127.0.0.1 at a port chosen by the kernel.
struct Listener: Sendable {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw BenchError.system("cannot create a socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 1024) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isReady else { throw BenchError.system("cannot listen") }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Accepts the next connection; `nil` once the socket was shut down.
    func accept() -> Int32? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return connection
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// Wakes the thread that waits in `accept`.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func close() { Glibc.close(descriptor) }
}
