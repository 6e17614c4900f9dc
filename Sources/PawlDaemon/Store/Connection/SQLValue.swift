internal import PawlCore

/// A value of a column, or of a parameter of a statement.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
}

/// A value that a statement can have as a parameter.
package protocol SQLEncodable {
    var sqlValue: SQLValue { get }
}

/// A value that can be read from a column.
package protocol SQLDecodable {
    /// Returns `nil` if the value of the column has another type.
    static func decoded(from value: SQLValue) -> Self?
}

/// A value of a column that has another type than the tables declare: the store is damaged.
package struct WrongColumnType: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the column, or its index.
    package var column: String

    package init(column: String) { self.column = column }

    package var description: String { "the column \(column) has a value of the wrong type" }
}

extension Optional<any SQLEncodable> {
    var sqlValue: SQLValue { self?.sqlValue ?? .null }
}

extension [SQLValue] {
    /// Converts the parameters of a statement.
    ///
    /// - Throws: `.usage` for a text with the character U+0000, which not every database can store.
    init(parameters: [(any SQLEncodable)?]) throws(DownloadError) {
        self.init()
        reserveCapacity(parameters.count)
        for parameter in parameters {
            let value = parameter.sqlValue
            if case .text(let text) = value, text.containsNull {
                throw DownloadError.usage(
                    "a text contains the character U+0000, which the queue cannot store",
                    advice: "remove this character"
                )
            }
            append(value)
        }
    }
}

extension String {
    /// Whether it contains the character U+0000.
    fileprivate var containsNull: Bool {
        utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? utf8.contains(0)
    }
}

/// NULL is `nil`.
extension Optional: SQLDecodable where Wrapped: SQLDecodable {
    package static func decoded(from value: SQLValue) -> Wrapped?? {
        if case .null = value { return .some(nil) }
        return Wrapped.decoded(from: value).map { .some($0) }
    }
}

extension SQLValue: SQLEncodable {
    package var sqlValue: SQLValue { self }
}

extension Int64: SQLEncodable, SQLDecodable {
    package var sqlValue: SQLValue { .integer(self) }

    package static func decoded(from value: SQLValue) -> Int64? {
        guard case .integer(let number) = value else { return nil }
        return number
    }
}

extension Int: SQLEncodable, SQLDecodable {
    package var sqlValue: SQLValue { .integer(Int64(self)) }

    package static func decoded(from value: SQLValue) -> Int? {
        guard case .integer(let number) = value else { return nil }
        return Int(exactly: number)
    }
}

/// An expression may have an integer where a column has none.
extension Double: SQLEncodable, SQLDecodable {
    package var sqlValue: SQLValue { .real(self) }

    package static func decoded(from value: SQLValue) -> Double? {
        switch value {
        case .real(let number): number
        case .integer(let number): Double(number)
        case .null, .text, .bytes: nil
        }
    }
}

/// Stored as 0 and 1.
extension Bool: SQLEncodable, SQLDecodable {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }

    package static func decoded(from value: SQLValue) -> Bool? {
        guard case .integer(let number) = value else { return nil }
        return number != 0
    }
}

extension String: SQLEncodable, SQLDecodable {
    package var sqlValue: SQLValue { .text(self) }

    package static func decoded(from value: SQLValue) -> String? {
        guard case .text(let text) = value else { return nil }
        return text
    }
}

extension [UInt8]: SQLEncodable, SQLDecodable {
    package var sqlValue: SQLValue { .bytes(self) }

    package static func decoded(from value: SQLValue) -> [UInt8]? {
        guard case .bytes(let bytes) = value else { return nil }
        return bytes
    }
}
