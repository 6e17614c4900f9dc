import PawlCore

/// The request line and the fields of a request.
struct RequestHead {
    var method: String
    var target: String
    var fields: [HTTPField]

    func value(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }
}

/// A reader of the consecutive requests on one connection, which only that connection's thread
/// uses.
final class RequestReader {
    let channel: ByteChannel
    private var held: [UInt8] = []
    private static let longestHead = 1 << 20

    init(_ channel: ByteChannel) { self.channel = channel }

    /// Reads the next request, without its body; returns `nil` at the end of the stream.
    ///
    /// Throws if the bytes are not a request.
    func next() throws(ConnectionEnd) -> RequestHead? {
        guard let bytes = try take(through: [13, 10, 13, 10]) else { return nil }
        guard let head = Self.parse(bytes[...]) else { throw .abandoned }
        return head
    }

    /// Reads at least one byte, and at most `count`, which is not zero.
    func take(atMost count: Int) throws(ConnectionEnd) -> [UInt8] {
        if held.isEmpty, try !readMore() { throw .abandoned }
        let taken = Array(held.prefix(count))
        held.removeFirst(taken.count)
        return taken
    }

    /// Reads up to a mark and the mark; returns `nil` at the end of the stream.
    func take(through mark: [UInt8]) throws(ConnectionEnd) -> [UInt8]? {
        var searched = 0
        while true {
            if let end = end(of: mark, from: searched) {
                let taken = Array(held[..<end])
                held.removeFirst(end)
                return taken
            }
            searched = max(0, held.count - mark.count + 1)
            guard held.count < Self.longestHead else { throw .abandoned }
            guard try readMore() else { return nil }
        }
    }

    private func end(of mark: [UInt8], from start: Int) -> Int? {
        guard held.count >= mark.count, start <= held.count - mark.count else { return nil }
        return (start...(held.count - mark.count))
            .first { held[$0..<$0 + mark.count].elementsEqual(mark) }
            .map { $0 + mark.count }
    }

    private func readMore() throws(ConnectionEnd) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        let count = try channel.receive(into: buffer)
        held.append(contentsOf: buffer[0..<count])
        return count > 0
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> RequestHead? {
        let lines = bytes.split(separator: 10).map { line in
            String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        }
        guard let first = lines.first else { return nil }
        let parts = first.split(separator: " ")
        guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else { return nil }
        return RequestHead(
            method: String(parts[0]),
            target: String(parts[1]),
            fields: lines.dropFirst().compactMap { field($0) }
        )
    }

    /// Parses a field; `nil` if the line is not a field.
    static func field(_ line: String) -> HTTPField? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...]
        return HTTPField(name: String(line[..<colon]), value: trimmed(value))
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { String(start[...$0]) } ?? ""
    }
}
