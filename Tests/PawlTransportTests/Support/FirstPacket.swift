import Glibc

/// The first packet of a connection, as its server's kernel has saved it: IP header, TCP header.
struct FirstPacket {
    private let bytes: [UInt8]

    /// Tells the kernel to save the first packets of the connections that this socket will accept.
    static func save(of listener: Int32) {
        var on: Int32 = 1
        setsockopt(
            listener,
            Int32(IPPROTO_TCP),
            TCP_SAVE_SYN,
            &on,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    /// Reads the packet of an accepted connection; `nil` if it was not saved.
    init?(of connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 512)
        var count = socklen_t(buffer.count)
        guard getsockopt(connection, Int32(IPPROTO_TCP), TCP_SAVED_SYN, &buffer, &count) == 0,
            count > 0
        else { return nil }
        bytes = Array(buffer.prefix(Int(count)))
    }

    /// Whether the client uses TCP Fast Open, or asks for the cookie that it needs for that.
    ///
    /// Linux tries the option's experimental number, too (RFC 7413 §4.1.1, RFC 6994).
    var usesFastOpen: Bool {
        options.contains { $0.first == 34 || $0.starts(with: [254, 0xF9, 0x89]) }
    }

    /// The TCP options, each with its kind first, and without its length (RFC 9293 §3.1).
    private var options: [[UInt8]] {
        guard let first = bytes.first else { return [] }
        let tcp = bytes.dropFirst(Int(first & 0xF) * 4)
        guard tcp.count >= 20 else { return [] }
        var rest = tcp.prefix(Int(tcp[tcp.startIndex + 12] >> 4) * 4).dropFirst(20)
        var options: [[UInt8]] = []
        while let kind = rest.first, kind != 0 {
            guard kind != 1 else {
                rest.removeFirst()
                continue
            }
            guard let length = rest.dropFirst().first, length >= 2 else { break }
            options.append([kind] + rest.prefix(Int(length)).dropFirst(2))
            rest = rest.dropFirst(Int(length))
        }
        return options
    }
}
