import FoundationEssentials
import Glibc
import SystemPackage

/// A TCP socket that listens on 127.0.0.1 or on all addresses of this machine.
struct OriginSocket: Sendable {
    let descriptor: Int32
    let port: UInt16

    /// Creates the socket; port 0 lets the kernel choose.
    init(port: UInt16, onAllAddresses: Bool) throws(Errno) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        var on: Int32 = 1
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_REUSEADDR,
            &on,
            socklen_t(MemoryLayout<Int32>.size)
        )
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(onAllAddresses ? 0 : 0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 1024) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isReady else {
            let error = Errno(rawValue: errno)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// The number of sockets of this process that are connected to this port.
    var clients: Int {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return (names ?? []).compactMap { Int32($0) }.count(where: isConnected)
    }

    private func isConnected(_ descriptor: Int32) -> Bool {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length)
            }
        }
        return result == 0 && address.sin_family == sa_family_t(AF_INET)
            && UInt16(bigEndian: address.sin_port) == port
    }

    /// Waits for the next connection; returns `nil` after the socket was shut down.
    func accept() -> Int32? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return connection
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            // Too many files are open. The kernel does not report when one of them is closed.
            case EMFILE, ENFILE: waitForShutdown(milliseconds: 5)
            default: return nil
            }
        }
    }

    private func waitForShutdown(milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        poll(&entry, 1, milliseconds)
    }
}
