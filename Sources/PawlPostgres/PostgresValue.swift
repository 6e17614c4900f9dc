internal import PawlCore

/// A parameter of a statement.
package enum PostgresValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Text without U+0000, which PostgreSQL cannot store.
    case text(String)
    /// A value of the type `bytea`.
    case bytes([UInt8])

    /// The value as a parameter in text format; `nil` for NULL and bytes.
    ///
    /// The server infers the type from the statement, as it does for a literal in quotes.
    var parameterText: String? {
        switch self {
        case .null, .bytes: nil
        case .boolean(let value): value ? "t" : "f"
        case .integer(let value): String(value)
        case .real(let value): Self.text(of: value)
        case .text(let value): value
        }
    }

    /// The value as a literal for a script, which takes no parameters.
    ///
    /// Only for sessions with `standard_conforming_strings`, which a ``PostgresConnection`` sets.
    package var literal: String {
        switch self {
        case .null: "NULL"
        case .bytes(let bytes): "'\\x\(bytes.hexadecimal)'"
        case .boolean, .integer, .real, .text: Self.quoted(parameterText ?? "", "'")
        }
    }

    /// Returns a name, such as that of a channel, as an identifier in SQL.
    package static func identifier(_ name: String) -> String { quoted(name, "\"") }

    /// Throws the error for a value that PostgreSQL cannot store.
    func check() throws(PostgresError) {
        switch self {
        case .text(let text) where text.utf8.contains(0):
            throw PostgresError(
                .unusableValue,
                "a text with the character U+0000 cannot be stored in PostgreSQL",
                advice: "remove the character"
            )
        case .bytes(let bytes) where bytes.count > Self.mostBytes:
            throw PostgresError(
                .unusableValue,
                "a value of \(bytes.count) bytes cannot be stored in PostgreSQL",
                advice: "divide it into values of less than 1 GiB"
            )
        case .null, .boolean, .integer, .real, .text, .bytes: break
        }
    }

    /// PostgreSQL's limit for the size of a value.
    private static let mostBytes = (1 << 30) - 1

    private static func text(of value: Double) -> String {
        guard value.isInfinite else { return value.isNaN ? "NaN" : "\(value)" }
        return value < 0 ? "-Infinity" : "Infinity"
    }

    private static func quoted(_ text: String, _ quote: Unicode.Scalar) -> String {
        var scalars = String.UnicodeScalarView([quote])
        for scalar in text.unicodeScalars {
            if scalar == quote { scalars.append(quote) }
            scalars.append(scalar)
        }
        scalars.append(quote)
        return String(scalars)
    }
}

/// A statement and its parameters, which it names `$1`, `$2` and so on.
struct PostgresStatement: Sendable {
    let sql: String
    let values: [PostgresValue]

    /// The number of parameters is 16 bits wide in the protocol.
    private static let mostValues = 65_535

    init(_ sql: String, _ values: [PostgresValue]) throws(PostgresError) {
        try PostgresValue.text(sql).check()
        for value in values { try value.check() }
        guard values.count <= Self.mostValues else {
            throw PostgresError(
                .unusableValue,
                "a statement has \(values.count) parameters, but at most \(Self.mostValues) fit"
            )
        }
        self.sql = sql
        self.values = values
    }
}
