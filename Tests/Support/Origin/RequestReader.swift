import PawlCore

/// The request line and the fields of a request.
struct RequestHead {
    var method: String
    var target: String
    var fields: [HTTPField]
    var body: [UInt8] = []

    func value(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }
}

/// A reader of the consecutive requests on one connection.
struct RequestReader {
    private let channel: ByteChannel
    private var held: [UInt8] = []
    private static let longestHead = 1 << 20

    init(_ channel: ByteChannel) { self.channel = channel }

    /// Reads the next request; returns `nil` at the end of the stream.
    ///
    /// Throws if the bytes are not a request.
    mutating func next() throws(ConnectionEnd) -> RequestHead? {
        var searched = 0
        while true {
            if let end = headEnd(from: searched) {
                let head = Self.parse(held[..<end])
                held.removeFirst(end)
                guard var head else { throw .abandoned }
                head.body = try readBody(of: head)
                return head
            }
            searched = max(0, held.count - 3)
            guard held.count < Self.longestHead else { throw .abandoned }
            guard try readMore() else { return nil }
        }
    }

    private func headEnd(from start: Int) -> Int? {
        guard held.count >= 4, start <= held.count - 4 else { return nil }
        return (start...(held.count - 4))
            .first { held[$0..<$0 + 4].elementsEqual([13, 10, 13, 10]) }
            .map { $0 + 4 }
    }

    private mutating func readMore() throws(ConnectionEnd) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        let count = try channel.receive(into: buffer)
        held.append(contentsOf: buffer[0..<count])
        return count > 0
    }

    private mutating func readBody(of head: RequestHead) throws(ConnectionEnd) -> [UInt8] {
        let length = head.value("content-length").flatMap(Int.init) ?? 0
        var body: [UInt8] = []
        while body.count < length {
            if held.isEmpty, try !readMore() { throw .abandoned }
            let count = min(length - body.count, held.count)
            body += held[..<count]
            held.removeFirst(count)
        }
        return body
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> RequestHead? {
        let lines = bytes.split(separator: 10).map { line in
            String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        }
        guard let first = lines.first else { return nil }
        let parts = first.split(separator: " ")
        guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else { return nil }
        let fields = lines.dropFirst().compactMap { line -> HTTPField? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...]
            return HTTPField(name: String(line[..<colon]), value: trimmed(value))
        }
        return RequestHead(method: String(parts[0]), target: String(parts[1]), fields: fields)
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { String(start[...$0]) } ?? ""
    }
}
