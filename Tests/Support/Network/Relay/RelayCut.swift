/// A point in the bytes of a connection at which a relay breaks it.
package enum RelayCut: Sendable {
    /// The byte after the first `count` that pass in a direction from now on; those are forwarded.
    ///
    /// The count is that of one connection. If no further byte follows, nothing is broken.
    case bytes(Int, RelayDirection)
    /// The first occurrence of a text in a direction; if it is not forwarded, neither is what
    /// follows it.
    case text(String, RelayDirection, isForwarded: Bool)
    /// The byte after the first `count` that the server sends once a text was forwarded to it.
    ///
    /// With 0, the server has answered and the client does not learn it.
    case answer(to: String, bytes: Int)
}

/// A point at which a relay breaks connections, with what has passed of it on one connection.
struct RelayCutProgress {
    private let point: RelayCut
    /// The end of the bytes that have passed, which may begin the text.
    private var tail: [UInt8] = []
    private var passed = 0
    private var hasSeenText = false

    init(_ point: RelayCut) { self.point = point }

    /// Takes bytes that are to pass; returns how many of them are forwarded before the connection
    /// breaks, or `nil` if it does not.
    mutating func take(_ bytes: [UInt8], _ direction: RelayDirection) -> Int? {
        switch point {
        case .bytes(let count, direction): return pass(bytes.count, upTo: count)
        case .text(let text, direction, let isForwarded):
            guard let found = find(Array(text.utf8), in: bytes) else { return nil }
            return isForwarded ? found.upperBound : max(0, found.lowerBound)
        case .answer(let text, let count):
            if hasSeenText {
                return direction == .toClient ? pass(bytes.count, upTo: count) : nil
            }
            if direction == .toServer { hasSeenText = find(Array(text.utf8), in: bytes) != nil }
            return nil
        case .bytes, .text: return nil
        }
    }

    private mutating func pass(_ count: Int, upTo most: Int) -> Int? {
        defer { passed += count }
        return passed + count > most ? max(0, most - passed) : nil
    }

    /// Returns the range of a text in the bytes; it begins below 0 if its beginning has passed.
    private mutating func find(_ text: [UInt8], in bytes: [UInt8]) -> Range<Int>? {
        guard !text.isEmpty else { return nil }
        let before = tail.count
        let all = tail + bytes
        tail = all.suffix(text.count - 1)
        guard all.count >= text.count else { return nil }
        let start = (0...(all.count - text.count)).first { all[$0...].starts(with: text) }
        return start.map { ($0 - before)..<($0 - before + text.count) }
    }
}
