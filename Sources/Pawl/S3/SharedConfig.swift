/// The profiles in the files that AWS's tools share: `~/.aws/config` and `~/.aws/credentials`.
package struct SharedConfig: Sendable {
    private typealias Values = [String: String]

    static let keyID = "aws_access_key_id"
    static let secret = "aws_secret_access_key"
    static let sessionToken = "aws_session_token"

    private let profiles: [String: Values]

    /// The values of both files; those in `credentials` come first.
    ///
    /// An access key, its secret and its token come from one of the files.
    package init(config: String?, credentials: String?) {
        let described = Self.profiles(in: config ?? "") { section in
            // In this file other sections describe other things.
            guard section != "default" else { return section }
            let words = section.split(separator: " ", maxSplits: 1)
            return words.count == 2 && words[0] == "profile" ? words[1].trimmed : nil
        }
        let keys = Self.profiles(in: credentials ?? "") { $0 }
        profiles = described.merging(keys, uniquingKeysWith: Self.joined)
    }

    private static func joined(_ config: Values, _ credentials: Values) -> Values {
        var (config, credentials) = (config, credentials)
        if credentials[keyID] == nil, credentials[secret] == nil {
            credentials[sessionToken] = nil
        } else {
            for name in [keyID, secret, sessionToken] { config[name] = nil }
        }
        return config.merging(credentials) { $1 }
    }

    /// The values of a profile by their names; `nil` if there is no such profile.
    package subscript(profile: String) -> [String: String]? { profiles[profile] }

    /// Returns the profiles in a text.
    ///
    /// - Parameters:
    ///   - profile: Returns the profile that a section describes; `nil` if it is another section.
    private static func profiles(
        in text: String,
        profile: (String) -> String?
    ) -> [String: Values] {
        var profiles: [String: Values] = [:]
        var current: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let content = line.trimmed
            guard let first = content.first, first != "#", first != ";" else { continue }
            if first == "[" {
                let name = content.dropFirst().prefix { $0 != "]" }
                current = profile(name.trimmed)
                if let current { profiles[current] = profiles[current] ?? [:] }
                continue
            }
            // An indented line belongs to a value that consists of several.
            guard let current, !line.hasPrefix(" "), !line.hasPrefix("\t"),
                let equals = content.firstIndex(of: "=")
            else { continue }
            let name = content[..<equals].trimmed.lowercased()
            profiles[current]?[name] = content[content.index(after: equals)...].trimmed
        }
        return profiles
    }
}
