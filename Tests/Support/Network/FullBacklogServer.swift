import Glibc

package import struct FoundationEssentials.URL

/// A server that never accepts a connection.
///
/// Its queue is full, so that connecting to it never completes.
package final class FullBacklogServer: Sendable {
    package let url: URL
    private let descriptors: [Int32]

    package struct Unavailable: Error {}

    package init() throws {
        let listener = socket(AF_INET, Self.type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var descriptors = [listener]
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(listener, pointer, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, pointer, &length) == 0
                else { return false }
                for _ in 0..<4 {
                    let filler = socket(AF_INET, Self.type, 0)
                    // The connection is to stay in progress for ever.
                    _ = connect(filler, pointer, length)
                    descriptors.append(filler)
                }
                return true
            }
        }
        self.descriptors = descriptors
        let port = UInt16(bigEndian: address.sin_port)
        guard isReady, let url = URL(string: "http://127.0.0.1:\(port)/") else {
            throw Unavailable()
        }
        self.url = url
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    private static let type =
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        | Int32(SOCK_CLOEXEC.rawValue)
}
