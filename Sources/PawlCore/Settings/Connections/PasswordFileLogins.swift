/// The hosts for which a file in the format of `.netrc` has logins.
package enum PasswordFileLogins: Hashable, Sendable {
    /// The hosts, in lower case.
    case hosts(Set<String>)
    /// Any host may have one, because the file cannot be read or has a login for all.
    case unknown

    package static let none = PasswordFileLogins.hosts([])

    /// Parses the text of a file.
    ///
    /// A password that equals a keyword is taken for it, so that no host is missed.
    package init(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace).map { word in
            word.utf8.filter { $0 != UInt8(ascii: "\"") }
        }
        var hosts: Set<String> = []
        for (word, next) in zip(words, words.dropFirst() + [[]]) {
            switch String(decoding: word, as: UTF8.self) {
            case "default":
                self = .unknown
                return
            case "machine": hosts.insert(String(decoding: next, as: UTF8.self).lowercased())
            default: break
            }
        }
        self = .hosts(hosts)
    }

    /// Whether the file may have a login for a host.
    package func mayInclude(_ host: String?) -> Bool {
        switch self {
        case .hosts(let hosts): host.map { hosts.contains($0.lowercased()) } ?? false
        case .unknown: true
        }
    }
}
