internal import Glibc

/// A persistent connection to the daemon.
struct LoadConnection {
    let descriptor: Int32
    /// The times at which the requests without a response were due.
    var due: [Moment] = []
    /// The received bytes that were not processed yet.
    var received: [UInt8] = []

    init(port: UInt16) throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw BenchError.system("cannot create a socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let error = BenchError.system("cannot connect to the daemon")
            close(descriptor)
            throw error
        }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    }

    /// Sends a request, which is small enough for the buffer.
    func send(_ request: [UInt8]) throws {
        guard
            Glibc.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
                == request.count
        else { throw BenchError.system("cannot send a request to the daemon") }
    }

    /// Reads the available bytes.
    mutating func receive(into buffer: UnsafeMutableRawBufferPointer) throws {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            throw BenchError("the daemon closed a connection")
        }
        received.append(contentsOf: buffer[..<count])
    }

    /// Removes one complete response from the received bytes.
    ///
    /// Returns `false` if no response is complete yet.
    mutating func takeAnswer() throws -> Bool {
        guard let head = ByteSearch.end(of: Array("\r\n\r\n".utf8), in: received) else {
            return false
        }
        let text = String(decoding: received[..<head], as: UTF8.self).lowercased()
        guard text.hasPrefix("http/1.1 200 ") else {
            throw BenchError("unexpected response of the daemon: \(text.prefix { $0 != "\r\n" })")
        }
        let field = text.firstRange(of: "\r\ncontent-length: ")
        guard let digits = field.map({ text[$0.upperBound...].prefix { $0.isNumber } }),
            let length = Int(digits)
        else { throw BenchError("a response of the daemon has no Content-Length") }
        guard received.count >= head + length else { return false }
        received.removeFirst(head + length)
        return true
    }

    /// Counts the occurrences of a text in the received bytes.
    func count(_ text: String) -> Int {
        let needle = Array(text.utf8)
        var (rest, count) = (received[...], 0)
        while let end = ByteSearch.end(of: needle, in: Array(rest)) {
            rest = rest.dropFirst(end)
            count += 1
        }
        return count
    }
}
