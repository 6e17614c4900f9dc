internal import CPostgres

/// Where a database is: a URL or keywords, as `psql` takes them.
///
/// libpq adds what the address leaves out from the environment (`PGHOST`, `PGSSLMODE` …), from a
/// service file (`service=NAME`, `PGSERVICEFILE`) and from the file of passwords (`PGPASSFILE`).
package struct PostgresAddress: Hashable, Sendable {
    /// The text as given, which may contain a password.
    package let text: String
    /// The address for logs and messages, as keywords without secrets; empty if everything comes
    /// from the environment.
    package let redacted: String
    /// Whether the text contains a password, which other users see in a list of processes.
    package let hasPassword: Bool

    /// Parses an address: `postgres://USER@HOST/DATABASE`, or keywords such as
    /// `host=HOST dbname=DATABASE`.
    package init(_ text: String) throws(PostgresError) {
        // libpq takes a text without both for the name of a database, and would not report a
        // misspelled scheme.
        let isEmpty = !text.utf8.contains { $0 != UInt8(ascii: " ") }
        guard isEmpty || text.utf8.contains(UInt8(ascii: "=")) || text.isPostgresURL,
            !text.utf8.contains(0), !text.isPostgresURL || Self.hasClearUser(text),
            let options = Self.parse(text)
        else { throw Self.unusable }
        self.text = text
        hasPassword = options.contains { $0.isSecret }
        redacted = options.filter { !$0.isSecret }
            .map { "\($0.keyword)=\(Self.quoted($0.value))" }
            .joined(separator: " ")
    }

    /// Whether a URL has no `@` or `/` in its password: libpq takes the rest of such a password for
    /// a host or a port, which messages show.
    private static func hasClearUser(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let all = text.utf8[colon...].dropFirst("://".utf8.count)
        let authority = all.prefix { $0 != UInt8(ascii: "/") }
        guard authority.count(where: { $0 == UInt8(ascii: "@") }) <= 1 else { return false }
        // A `?` may be in a password, so only the path is cut off there.
        let path = all.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "?") }
        return !path.contains(UInt8(ascii: "@"))
    }

    private struct Option {
        var keyword: String
        var value: String
        var isSecret: Bool
    }

    // libpq's own message could show a part of the password.
    private static let unusable = PostgresError(
        .badAddress,
        "the address of the database is not valid",
        advice: "write it as postgres://USER@HOST:PORT/DATABASE, with special characters as %XX, "
            + "or as keywords: \"host=HOST dbname=DATABASE user=USER\""
    )

    private static func parse(_ text: String) -> [Option]? {
        var message: UnsafeMutablePointer<CChar>?
        let list = PQconninfoParse(text, &message)
        PQfreemem(message)
        guard let list else { return nil }
        defer { PQconninfoFree(list) }
        var options: [Option] = []
        var next = list
        while let keyword = next.pointee.keyword {
            defer { next += 1 }
            guard let value = next.pointee.val else { continue }
            let mark = next.pointee.dispchar.map { $0.pointee }
            options.append(
                Option(
                    keyword: String(cString: keyword),
                    value: String(cString: value),
                    isSecret: mark == CChar(bitPattern: UInt8(ascii: "*"))
                )
            )
        }
        return options
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { byte in
            byte > UInt8(ascii: " ") && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
        }
        guard value.isEmpty || !isPlain else { return value }
        var bytes = [UInt8(ascii: "'")]
        for byte in value.utf8 {
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") {
                bytes.append(UInt8(ascii: "\\"))
            }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }
}

extension PostgresAddress: CustomStringConvertible {
    package var description: String { redacted.isEmpty ? "the default database" : redacted }
}

extension String {
    /// Whether libpq reads the text as a URL; it compares the scheme byte by byte.
    fileprivate var isPostgresURL: Bool {
        utf8.starts(with: "postgres://".utf8) || utf8.starts(with: "postgresql://".utf8)
    }
}
