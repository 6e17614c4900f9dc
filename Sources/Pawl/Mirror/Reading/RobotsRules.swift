internal import PawlCore

/// The rules of a server's `robots.txt` (RFC 9309) for this program.
package struct RobotsRules: Hashable, Sendable {
    /// The name for which groups of rules are looked for.
    package static let agent = "pawl"
    /// The maximum number of bytes that are read: RFC 9309 §2.5 demands 500 KiB at least.
    package static let mostBytes = 512 << 10

    private struct Rule: Hashable {
        let pattern: [UInt8]
        let isAllowed: Bool
    }

    private var rules: [Rule]

    /// The rules of a server that has none.
    package static let none = RobotsRules(rules: [])

    private init(rules: [Rule]) { self.rules = rules }

    package init(_ text: [UInt8]) {
        var (own, general) = ([Rule](), [Rule]())
        var hasOwn = false
        var agents: Set<String> = []
        var isNaming = false
        for line in text.prefix(Self.mostBytes).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        {
            let parts = line.prefix { $0 != UInt8(ascii: "#") }
                .split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let value = String(decoding: parts[1], as: UTF8.self).trimmed
            switch String(decoding: parts[0], as: UTF8.self).trimmed.lowercased() {
            case "user-agent":
                if !isNaming { agents = [] }
                isNaming = true
                // A version may follow the name.
                let name = value.lowercased().utf8.prefix { $0.isLetter || "-_*".utf8.contains($0) }
                agents.insert(String(Substring(name)))
                if Substring(name) == Self.agent { hasOwn = true }
            case let word where word == "allow" || word == "disallow":
                isNaming = false
                guard !value.isEmpty else { continue }
                let rule = Rule(pattern: Self.normalized(value), isAllowed: word == "allow")
                if agents.contains(Self.agent) { own.append(rule) }
                if agents.contains("*") { general.append(rule) }
            default: continue
            }
        }
        rules = hasOwn ? own : general
    }

    /// Whether a path of the server, with its query, may be fetched.
    ///
    /// The longest matching pattern decides. If two have the same length, the one that allows the
    /// path does.
    package func allows(_ path: String) -> Bool {
        guard !rules.isEmpty, path != "/robots.txt" else { return true }
        let path = Self.normalized(path)
        var best: Rule?
        for rule in rules where Self.matches(rule.pattern, path) {
            let (length, longest) = (rule.pattern.count, best?.pattern.count ?? -1)
            if length > longest || length == longest && rule.isAllowed { best = rule }
        }
        return best?.isAllowed ?? true
    }

    /// The bytes of a path or a pattern, with those percent-encoded that a URL cannot contain, and
    /// those decoded that need no encoding.
    private static func normalized(_ path: String) -> [UInt8] {
        var result: [UInt8] = []
        let bytes = Array(path.encodingIllegalURLBytes.utf8)
        var index = 0
        while index < bytes.count {
            let coded = bytes[index...].prefix(3)
            if bytes[index] == UInt8(ascii: "%"), coded.count == 3 {
                let decoded = String(decoding: coded, as: UTF8.self).percentDecodedBytes
                let isPlain = decoded.count == 1 && decoded.percentEncoded().utf8.count == 1
                result += isPlain ? decoded : coded.map { $0.isLetter ? $0 & ~0x20 : $0 }
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// Whether a path begins with a pattern, in which `*` stands for any bytes, and `$` at the end
    /// for the end of the path.
    private static func matches(_ pattern: [UInt8], _ path: [UInt8]) -> Bool {
        let isWhole = pattern.last == UInt8(ascii: "$")
        let parts = (isWhole ? pattern.dropLast() : pattern[...])
            .split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        guard let first = parts.first, path.starts(with: first) else { return false }
        guard parts.count > 1 else { return !isWhole || path.count == first.count }
        var rest = path[...].dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        guard let last = parts.last else { return true }
        guard isWhole else { return last.isEmpty || rest.firstRange(of: last) != nil }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }
}
