/// What a server demands with `Strict-Transport-Security` (RFC 6797 §6.1).
package struct StrictTransportSecurity: Hashable, Sendable {
    /// The time for which the host is to be used only over HTTPS; 0 ends that.
    package let maximumAgeSeconds: Int64
    package let includesSubdomains: Bool

    /// Parses the field's value; `nil` if it is not valid.
    package init?(_ field: String) {
        var (age, subdomains, seen) = (Int64?.none, false, Set<String>())
        var scanner = FieldScanner(field)
        repeat {
            scanner.skipWhitespace()
            let name = scanner.take { !Self.endsName($0) }.lowercased()
            scanner.skipWhitespace()
            guard scanner.skip("=") else {
                // A directive may be empty, but may not occur twice.
                guard name.isEmpty || seen.insert(name).inserted else { return nil }
                subdomains = subdomains || name == "includesubdomains"
                continue
            }
            scanner.skipWhitespace()
            let value = scanner.quotedString() ?? scanner.take { !Self.endsName($0) }
            scanner.skipWhitespace()
            guard !name.isEmpty, seen.insert(name).inserted else { return nil }
            guard name == "max-age" else { continue }
            guard value.isAllDigits else { return nil }
            // More digits than a number can have mean for ever.
            age = Int64(value) ?? .max
        } while scanner.skip(";")
        guard scanner.isAtEnd, let age else { return nil }
        (maximumAgeSeconds, includesSubdomains) = (age, subdomains)
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: " "), UInt8(ascii: "\t"): true
        default: false
        }
    }
}
