internal import Synchronization

/// The statements of the tables in the form of PostgreSQL: parameters are `$1`, `$2` and so on.
///
/// The texts are kept, so that each is converted once.
package final class StatementTexts: Sendable {
    private let known = Mutex<[String: String]>([:])

    package init() {}

    /// Returns a statement whose parameters are `?`, or `?1` if they have numbers.
    ///
    /// `isKept`: whether the text is kept for the next time.
    package func text(of sql: String, isKept: Bool) -> String {
        guard isKept else { return Self.converted(sql) }
        if let text = known.withLock({ $0[sql] }) { return text }
        let text = Self.converted(sql)
        known.withLock { $0[sql] = text }
        return text
    }

    /// Replaces the parameters outside of quotes and comments.
    package static func converted(_ sql: String) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(sql.utf8.count + 16)
        var bytes = sql.utf8[...]
        var count = 0
        while let byte = bytes.first {
            let length = verbatimLength(bytes)
            guard length == 0 else {
                text += bytes.prefix(length)
                bytes = bytes.dropFirst(length)
                continue
            }
            bytes = bytes.dropFirst()
            guard byte == UInt8(ascii: "?") else {
                text.append(byte)
                continue
            }
            text.append(UInt8(ascii: "$"))
            // A number follows by itself.
            guard !(bytes.first.map(isDigit) ?? false) else { continue }
            count += 1
            text += "\(count)".utf8
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the length of the quoted text or the comment that `bytes` begins with; 0 if there is
    /// none.
    private static func verbatimLength(_ bytes: Substring.UTF8View) -> Int {
        let quote = bytes.first
        if quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            let rest = bytes.dropFirst()
            // A doubled quote ends a text, and begins the next.
            return (rest.firstIndex { $0 == quote }).map {
                bytes.distance(from: bytes.startIndex, to: $0) + 1
            } ?? bytes.count
        }
        guard bytes.starts(with: "--".utf8) else { return 0 }
        return bytes.prefix { $0 != UInt8(ascii: "\n") }.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
