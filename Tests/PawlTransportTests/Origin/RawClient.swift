import Glibc
import PawlTesting

/// A bare TCP client that shows what an origin sends.
final class RawClient {
    enum End: Equatable {
        case closed, reset, timedOut
    }

    struct Failed: Error {}

    private let descriptor: Int32

    init(_ origin: ScriptedOrigin) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = origin.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // All properties are initialised here, so that deinit closes the descriptor.
        guard code == 0 else { throw Failed() }
    }

    deinit { close(descriptor) }

    func ask(_ target: String, _ fields: [String] = [], method: String = "GET") {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: origin"] + fields + ["", ""]
        send(lines.joined(separator: "\r\n"))
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Receives `count` bytes, or fewer if the connection ends first.
    func receive(_ count: Int) -> [UInt8] { receive(upTo: count).bytes }

    /// Receives everything until the end, and returns how it ended.
    func receiveAll() -> (bytes: [UInt8], end: End) {
        let (bytes, end) = receive(upTo: .max)
        return (bytes, end ?? .timedOut)
    }

    /// The next head, as text.
    func receiveHead() -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let byte = receive(1)
            guard !byte.isEmpty else { break }
            head += byte
        }
        return String(decoding: head, as: UTF8.self)
    }

    private func receive(upTo limit: Int) -> (bytes: [UInt8], end: End?) {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while all.count < limit {
            let count = recv(descriptor, &buffer, min(buffer.count, limit - all.count), 0)
            guard count > 0 else {
                return (all, count == 0 ? .closed : errno == ECONNRESET ? .reset : .timedOut)
            }
            all += buffer[0..<count]
        }
        return (all, nil)
    }
}

/// One answer, split into its parts.
struct RawAnswer {
    var head: String
    var body: [UInt8]
    var end: RawClient.End

    init(_ bytes: [UInt8], _ end: RawClient.End) {
        self.end = end
        let mark: [UInt8] = [13, 10, 13, 10]
        let index = bytes.indices.first { bytes[$0...].starts(with: mark) } ?? bytes.endIndex
        head = String(decoding: bytes[..<index], as: UTF8.self)
        body = Array(bytes[index...].dropFirst(4))
    }

    var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? {
        let lines = head.split(separator: "\r\n").map(String.init)
        let start = name.lowercased() + ": "
        return lines.first { $0.lowercased().hasPrefix(start) }.map {
            String($0.dropFirst(start.count))
        }
    }
}

extension ScriptedOrigin {
    /// Sends one request on its own connection, which is closed after the answer.
    func ask(_ target: String, _ fields: [String] = [], method: String = "GET") throws
        -> RawAnswer
    {
        let client = try RawClient(self)
        client.ask(target, fields + ["Connection: close"], method: method)
        let (bytes, end) = client.receiveAll()
        return RawAnswer(bytes, end)
    }

    /// Sends one request for a range of `/f`.
    func ask(range: String) throws -> RawAnswer { try ask("/f", ["Range: bytes=\(range)"]) }
}
