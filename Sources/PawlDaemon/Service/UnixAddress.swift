internal import Glibc

/// Addresses of Unix sockets (unix(7)).
package enum UnixAddress {
    /// Calls a function with the address of a path (a `sockaddr`) and its size; returns `nil` if the
    /// path is too long.
    ///
    /// A path that begins with `@` has no file: it is an abstract name of Linux.
    package static func with<Result>(
        _ path: String,
        _ body: (UnsafeRawPointer, UInt32) -> Result
    ) -> Result? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.isEmpty else {
            return nil
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let head = MemoryLayout<sa_family_t>.size
        let size = socklen_t(head + bytes.count + (isAbstract ? 0 : 1))
        return withUnsafePointer(to: &address) { body($0, size) }
    }

    /// Returns the path of a socket; `nil` if it is not a Unix socket, or has no path.
    static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        guard code == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let bytes = withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    static let stream = Int32(SOCK_STREAM.rawValue)
    package static let datagram = Int32(SOCK_DGRAM.rawValue)
    package static let closesOnExec = Int32(SOCK_CLOEXEC.rawValue)
}
