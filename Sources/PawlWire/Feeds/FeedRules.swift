package import PawlCore

/// How the files of a feed are named.
package enum FeedFileNames: String, Codable, Sendable, CaseIterable {
    /// The server of the file, or its URL.
    case server
    /// The title of the item.
    case title
}

/// When a feed is checked, and which of its items are added.
package struct FeedRules: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case everySeconds, match, exclude, newest, takesLinks, fileNames
    }

    package static let knownMembers = KnownMembers(CodingKeys.self)

    /// The time between two checks; 0 checks only on request.
    package var everySeconds: Int?
    /// Texts or patterns of which an item must match one; empty accepts all items.
    package var match: [String]?
    /// Texts or patterns that no item may match.
    package var exclude: [String]?
    /// The number of items that the first check adds.
    package var newest: Int?
    /// Whether the link of an item that has no enclosure is added.
    package var takesLinks: Bool?
    /// How the files are named; `nil` means by the server.
    package var fileNames: FeedFileNames?

    package static let usualSeconds = 3600
    package static let leastSeconds = 300
    package static let mostSeconds = 31 * 86_400
    package static let usualNewest = 1
    package static let mostNewest = 10_000
    private static let mostPatterns = 100
    private static let mostPatternBytes = 1000

    package init() {}

    /// Returns the rules with changes; omitted values stay as they are.
    package func merging(_ changes: FeedRules) -> FeedRules {
        var rules = self
        rules.everySeconds = changes.everySeconds ?? everySeconds
        rules.match = changes.match ?? match
        rules.exclude = changes.exclude ?? exclude
        rules.newest = changes.newest ?? newest
        rules.takesLinks = changes.takesLinks ?? takesLinks
        rules.fileNames = changes.fileNames ?? fileNames
        return rules
    }

    /// Checks the rules.
    ///
    /// Throws `.usage`.
    package func check() throws(DownloadError) {
        if let seconds = everySeconds, seconds != 0,
            !(Self.leastSeconds...Self.mostSeconds).contains(seconds)
        {
            throw .usage(
                "a feed cannot be checked every \(seconds) seconds",
                advice:
                    "use 5 minutes to 31 days, or never (0 in the API) to check it only on request"
            )
        }
        if let newest, !(0...Self.mostNewest).contains(newest) {
            throw .usage("'newest' is \(newest)", advice: "use 0 to \(Self.mostNewest)")
        }
        let patterns = (match ?? []) + (exclude ?? [])
        let isSound = patterns.allSatisfy { (1...Self.mostPatternBytes).contains($0.utf8.count) }
        guard isSound, patterns.count <= Self.mostPatterns else {
            throw .usage(
                "the texts to match or exclude are empty, too long or too many",
                advice:
                    "give up to \(Self.mostPatterns), each of 1 to \(Self.mostPatternBytes) bytes"
            )
        }
    }

    /// Whether an item is to be added.
    ///
    /// A text must occur in the title; a pattern with `*` or `?` must match the whole title, or the
    /// name of the file. Upper and lower case are the same.
    package func accept(title: String, fileName: String) -> Bool {
        let texts = [title.lowercased(), fileName.lowercased()]
        func matches(_ pattern: String) -> Bool {
            let pattern = pattern.lowercased()
            guard NamePattern.isOne(pattern) else { return texts[0].contains(pattern) }
            return texts.contains { NamePattern.matches(pattern, $0) }
        }
        if let exclude, exclude.contains(where: matches) { return false }
        guard let match, !match.isEmpty else { return true }
        return match.contains(where: matches)
    }
}
