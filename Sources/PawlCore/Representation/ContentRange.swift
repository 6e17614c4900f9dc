/// The content of a `Content-Range` field in bytes (RFC 9110 §14.4).
package enum ContentRange: Hashable, Sendable {
    /// `bytes N-M/T` or `bytes N-M/*`.
    ///
    /// The end of the `ByteRange` is after the last byte.
    case part(ByteRange, total: Int64?)
    /// `bytes */T`, as in a 416.
    case unsatisfied(total: Int64)

    /// Returns `nil` if the unit is not bytes, the numbers contradict each other (M < N, T <= M),
    /// or one is over 2^63-1.
    package init?(parsing text: String) {
        var scanner = FieldScanner(text.trimmed)
        guard scanner.letters().lowercased() == "bytes", scanner.skipWhitespace() else {
            return nil
        }
        let parsed = scanner.skip("*") ? Self.unsatisfied(&scanner) : Self.part(&scanner)
        guard let parsed, scanner.isAtEnd else { return nil }
        self = parsed
    }

    private static func unsatisfied(_ scanner: inout FieldScanner) -> ContentRange? {
        guard scanner.skip("/"), let total = scanner.number() else { return nil }
        return .unsatisfied(total: total)
    }

    private static func part(_ scanner: inout FieldScanner) -> ContentRange? {
        guard let first = scanner.number(), scanner.skip("-"), let last = scanner.number(),
            last >= first, last < .max, scanner.skip("/")
        else { return nil }
        let range = ByteRange(first, last + 1)
        if scanner.skip("*") { return .part(range, total: nil) }
        guard let total = scanner.number(), total > last else { return nil }
        return .part(range, total: total)
    }
}
