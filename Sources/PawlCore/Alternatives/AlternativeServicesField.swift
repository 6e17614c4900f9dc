/// The value of the header field `Alt-Svc` (RFC 7838 §3).
package struct AlternativeServicesField: Hashable, Sendable {
    /// An alternative, with the time for which it is valid.
    package struct Member: Hashable, Sendable {
        package let version: AlternativeService.Version
        /// The host; empty for that of the origin.
        package let host: String
        package let port: Int
        package var maximumAgeSeconds: Int64 = 86_400
        package var persists = false
    }

    /// The alternatives, in the order of the server's preference; empty for `clear`.
    package let members: [Member]

    /// The number of alternatives above which the rest is ignored.
    private static let mostMembers = 8

    /// Parses the field's value; `nil` if it is not valid.
    ///
    /// Alternatives with unknown protocols are left out.
    package init?(_ field: String) {
        var scanner = FieldScanner(field)
        var members: [Member] = []
        scanner.skipWhitespace()
        if field.trimmed == "clear" {
            self.members = []
            return
        }
        repeat {
            scanner.skipWhitespace()
            // A list may have empty members (RFC 9110 §5.6.1).
            if scanner.isAtEnd || scanner.next == UInt8(ascii: ",") { continue }
            let name = scanner.take { !Self.endsName($0) }
            guard !name.isEmpty, scanner.skip("="), let authority = scanner.quotedString(),
                let parameters = Self.parameters(&scanner)
            else { return nil }
            guard members.count < Self.mostMembers,
                let version = AlternativeService.Version(alpn: name),
                let colon = authority.lastIndex(of: ":"),
                let port = Int(authority[authority.index(after: colon)...])
            else { continue }
            var member = Member(version: version, host: String(authority[..<colon]), port: port)
            if let age = parameters["ma"] {
                guard age.isAllDigits else { return nil }
                // More digits than a number can have mean for ever.
                member.maximumAgeSeconds = Int64(age) ?? .max
            }
            member.persists = parameters["persist"] == "1"
            members.append(member)
        } while scanner.skip(",")
        guard scanner.isAtEnd else { return nil }
        self.members = members
    }

    /// Reads the parameters behind a member, such as `; ma=3600; persist=1`.
    private static func parameters(_ scanner: inout FieldScanner) -> [String: String]? {
        var parameters: [String: String] = [:]
        scanner.skipWhitespace()
        while scanner.skip(";") {
            scanner.skipWhitespace()
            let name = scanner.take { !endsName($0) }.lowercased()
            guard !name.isEmpty, scanner.skip("=") else { return nil }
            let value = scanner.quotedString() ?? scanner.take { !endsName($0) }
            if parameters[name] == nil { parameters[name] = value }
            scanner.skipWhitespace()
        }
        return parameters
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        ";=, \t\"".utf8.contains(byte)
    }
}
