import Glibc

/// A bare TCP client that shows what a server of this machine sends.
package final class RawClient {
    package enum End: Equatable, Sendable {
        case closed, reset, timedOut
    }

    package struct Failed: Error {
        package init() {}
    }

    private let descriptor: Int32

    package convenience init(_ origin: ScriptedOrigin) throws { try self.init(port: origin.port) }

    /// Connects to a port of 127.0.0.1.
    package init(port: UInt16) throws {
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
        address.sin_port = port.bigEndian
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

    package func ask(_ target: String, _ fields: [String] = [], method: String = "GET") {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: origin"] + fields + ["", ""]
        send(lines.joined(separator: "\r\n"))
    }

    /// Sends bytes verbatim; returns whether the server has taken them all.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Ends this side's stream.
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Receives `count` bytes, or fewer if the connection ends first.
    package func receive(_ count: Int) -> [UInt8] { receive(upTo: count).bytes }

    /// Receives everything until the end, and returns how it ended.
    package func receiveAll() -> (bytes: [UInt8], end: End) {
        let (bytes, end) = receive(upTo: .max)
        return (bytes, end ?? .timedOut)
    }

    /// The next head, as text.
    package func receiveHead() -> String {
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
package struct RawAnswer: Sendable {
    package var head: String
    package var body: [UInt8]
    package var end: RawClient.End

    package init(_ bytes: [UInt8], _ end: RawClient.End) {
        self.end = end
        let mark: [UInt8] = [13, 10, 13, 10]
        let index = bytes.indices.first { bytes[$0...].starts(with: mark) } ?? bytes.endIndex
        head = String(decoding: bytes[..<index], as: UTF8.self)
        body = Array(bytes[index...].dropFirst(4))
    }

    package var status: Int {
        head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
    package var text: String { String(decoding: body, as: UTF8.self) }

    package subscript(name: String) -> String? {
        let lines = head.split(separator: "\r\n").map(String.init)
        let start = name.lowercased() + ": "
        return lines.first { $0.lowercased().hasPrefix(start) }.map {
            String($0.dropFirst(start.count))
        }
    }
}

extension ScriptedOrigin {
    /// Sends one request on its own connection, which is closed after the answer.
    package func ask(
        _ target: String,
        _ fields: [String] = [],
        method: String = "GET"
    ) throws -> RawAnswer {
        let client = try RawClient(self)
        client.ask(target, fields + ["Connection: close"], method: method)
        let (bytes, end) = client.receiveAll()
        return RawAnswer(bytes, end)
    }

    /// Sends one request for a range of `/f`.
    package func ask(range: String) throws -> RawAnswer { try ask("/f", ["Range: bytes=\(range)"]) }
}
