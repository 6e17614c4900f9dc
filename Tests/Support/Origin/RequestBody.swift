import PawlCore

/// The body of one request, which is read piece by piece, with a length or in chunks (RFC 9112 §6).
///
/// Only the connection's own thread uses it.
final class RequestBody {
    private enum Framing {
        case length
        case chunked
    }

    private let reader: RequestReader
    private let framing: Framing
    /// The number of bytes left of the body, or of its current chunk.
    private var left: Int
    private var isFirstChunk = true
    private(set) var isAtEnd: Bool
    /// The fields after the last chunk.
    private(set) var trailers: [HTTPField] = []
    /// Whether the client waits for `100 (Continue)`.
    private var isContinueAwaited: Bool

    init(of head: RequestHead, from reader: RequestReader) {
        self.reader = reader
        let isChunked = head.value("transfer-encoding")?.lowercased() == "chunked"
        framing = isChunked ? .chunked : .length
        left = isChunked ? 0 : head.value("content-length").flatMap(Int.init) ?? 0
        isAtEnd = !isChunked && left == 0
        isContinueAwaited = head.value("expect")?.lowercased() == "100-continue"
    }

    /// Reads at least one byte and at most `count`; returns none at the end.
    func read(atMost count: Int) throws(ConnectionEnd) -> [UInt8] {
        if case .chunked = framing, left == 0, !isAtEnd { try beginChunk() }
        guard !isAtEnd else { return [] }
        let bytes = try reader.take(atMost: min(count, left))
        left -= bytes.count
        if case .length = framing, left == 0 { isAtEnd = true }
        return bytes
    }

    /// Reads the whole body, as a server does that is asked for its consent first.
    func readAll() throws(ConnectionEnd) -> [UInt8] {
        if isContinueAwaited, !isAtEnd {
            isContinueAwaited = false
            try reader.channel.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        var body: [UInt8] = []
        while true {
            let bytes = try read(atMost: .max)
            guard !bytes.isEmpty else { return body }
            body += bytes
        }
    }

    /// Reads and drops what is left.
    func skip() throws(ConnectionEnd) {
        while try !read(atMost: .max).isEmpty {}
    }

    private func beginChunk() throws(ConnectionEnd) {
        if !isFirstChunk { _ = try line() }
        isFirstChunk = false
        let size = try line().prefix { $0 != ";" }
        guard let size = Int(size, radix: 16) else { throw .abandoned }
        left = size
        guard size == 0 else { return }
        while true {
            let text = try line()
            guard !text.isEmpty else { break }
            if let field = RequestReader.field(text) { trailers.append(field) }
        }
        isAtEnd = true
    }

    private func line() throws(ConnectionEnd) -> String {
        guard let bytes = try reader.take(through: [13, 10]) else { throw .abandoned }
        return String(decoding: bytes.dropLast(2), as: UTF8.self)
    }
}
