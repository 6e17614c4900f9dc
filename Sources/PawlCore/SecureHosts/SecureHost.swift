/// A host that is used only over HTTPS, as a line of curl's file.
package struct SecureHost: Hashable, Sendable {
    /// The name in lower case, without a dot at the end.
    package let name: String
    package let includesSubdomains: Bool
    /// The end of the time in seconds since 1970; `Int64.max` means never.
    package let expiry: Int64

    /// The longest name of a host (RFC 1035 §2.3.4).
    private static let mostNameBytes = 255
    private static let unlimited = "unlimited"
    /// The end of the last year with four digits.
    private static let lastExpiry: Int64 = 253_402_300_799

    /// Creates a value; `nil` for a name that is an address, or that cannot be a host's (RFC 6797
    /// §8.1.1).
    package init?(_ name: String, includesSubdomains: Bool, expiry: Int64) {
        guard let name = Self.normalized(name) else { return nil }
        self.name = name
        self.includesSubdomains = includesSubdomains
        self.expiry = expiry > Self.lastExpiry ? .max : expiry
    }

    /// Returns the form of a host's name by which hosts are compared; `nil` for an address.
    static func normalized(_ name: String) -> String? {
        let plain = name.hasSuffix(".") ? String(name.dropLast()) : name
        let isUsable = plain.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
        guard !plain.isEmpty, plain.utf8.count <= mostNameBytes, isUsable, IPAddress(plain) == nil
        else { return nil }
        return plain.lowercased()
    }

    package func hasExpired(at now: Int64) -> Bool { expiry <= now }

    // MARK: - A line of the file

    /// Parses a line such as `.example.com "20271231 23:59:59"`.
    ///
    /// A dot at the beginning includes the subdomains.
    package init?(line: some StringProtocol) {
        var scanner = FieldScanner(line)
        scanner.skipWhitespace()
        let includesSubdomains = scanner.skip(".")
        let name = scanner.take { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        guard scanner.skipWhitespace(), let date = scanner.quotedString(),
            let expiry = date == Self.unlimited ? .max : CurlFileDate.seconds(date)
        else { return nil }
        self.init(name, includesSubdomains: includesSubdomains, expiry: expiry)
    }

    package var line: String {
        let date = expiry == .max ? Self.unlimited : CurlFileDate.text(expiry)
        return "\(includesSubdomains ? "." : "")\(name) \"\(date)\""
    }
}
