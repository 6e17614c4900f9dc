import Glibc

import struct FoundationEssentials.URL

/// A server that listens and never accepts.
///
/// Its queue is full, so that connecting to it takes forever.
final class DeafServer: Sendable {
    let url: URL
    private let descriptors: [Int32]

    init() throws {
        let (listener, port) = try listen(backlog: 0)
        url = try makeURL("http://127.0.0.1:\(port)/")
        var descriptors = [listener]
        for _ in 0..<4 {
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_INET, type, 0)
            var address = loopback(port: port)
            _ = withSocketAddress(&address) { connect(descriptor, $0, $1) }
            descriptors.append(descriptor)
        }
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
