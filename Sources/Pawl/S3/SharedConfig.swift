/// The profiles in the files that AWS's tools share: `~/.aws/config` and `~/.aws/credentials`.
package struct SharedConfig: Sendable {
    private var profiles: [String: [String: String]] = [:]

    /// The values of both files; those in `credentials` come first.
    package init(config: String?, credentials: String?) {
        read(config ?? "") { section in
            // In this file other sections describe other things.
            guard section != "default" else { return section }
            let words = section.split(separator: " ", maxSplits: 1)
            return words.count == 2 && words[0] == "profile" ? words[1].trimmed : nil
        }
        read(credentials ?? "") { $0 }
    }

    /// The values of a profile by their names; `nil` if there is no such profile.
    package subscript(profile: String) -> [String: String]? { profiles[profile] }

    /// - Parameters:
    ///   - profile: Returns the profile that a section describes; `nil` if it is another section.
    private mutating func read(_ text: String, profile: (String) -> String?) {
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
    }
}
