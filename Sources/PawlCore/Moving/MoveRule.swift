/// A rule that moves finished files to a folder (pure).
///
/// Its text has conditions, all of which must be met, an arrow and a folder:
/// `name=*.iso, size>1G -> ~/Images`. The text `none` is a rule that keeps each file where it is, so
/// that no later rule applies.
package struct MoveRule: Sendable, Hashable {
    /// The rule as it was written.
    package let text: String
    /// The folder: an absolute path, or one that begins with `~/`; `nil` if the file stays where it
    /// is.
    private let folder: String?
    private let conditions: [MoveCondition]

    private static let mostBytes = 4096
    private static let arrow = "->"
    private static let noneText = "none"

    package init(parsing text: String) throws(ValueError) {
        guard text.utf8.count <= Self.mostBytes, !text.holdsUnsafeToShow else {
            throw ValueError(
                "the rule is too long or contains control characters",
                advice: "give at most \(Self.mostBytes) bytes"
            )
        }
        guard text.trimmed != Self.noneText else {
            (self.text, folder, conditions) = (Self.noneText, nil, [])
            return
        }
        guard let arrow = text.range(ofASCII: Self.arrow) else {
            throw ValueError(
                "the rule '\(text.sanitized(atMost: 100))' has no arrow",
                advice: "write conditions -> folder, such as 'name=*.iso -> ~/Images'"
            )
        }
        var conditions: [MoveCondition] = []
        for part in text[..<arrow.lowerBound].split(
            separator: ",",
            omittingEmptySubsequences: false
        ) {
            conditions.append(try MoveCondition(parsing: part.trimmed))
        }
        let folder = text[arrow.upperBound...].trimmed
        guard folder.isAbsolutePath || folder == "~" || folder.hasPrefix("~/") else {
            throw ValueError(
                "'\(folder.sanitized(atMost: 100))' is not the path of a folder",
                advice: "use an absolute path, or one that begins with ~/"
            )
        }
        (self.folder, self.conditions) = (folder, conditions)
        self.text = text
    }

    /// Whether a file that meets the conditions is moved.
    package var moves: Bool { folder != nil }

    /// Whether a finished file meets all conditions.
    package func matches(_ file: FinishedFacts) -> Bool {
        conditions.allSatisfy { $0.isMet(by: file) }
    }

    /// Returns the folder as an absolute path; `nil` if the file stays where it is, or the user's home
    /// is needed and not known.
    package func folder(home: String?) -> String? {
        guard let folder, folder.first == "~" else { return folder }
        return home.map { $0 + folder.dropFirst() }
    }
}

extension [MoveRule] {
    /// Returns the folder of the first rule that a file matches; `nil` if it stays where it is.
    ///
    /// `home`: the user's home folder, for which `~` stands.
    package func folder(for file: FinishedFacts, home: String?) -> String? {
        first { $0.matches(file) }?.folder(home: home)
    }
}

/// Returns the folder into which a finished file is moved; `nil` if it stays where it is.
package typealias MoveFolder = @Sendable (FinishedFacts) -> String?

/// What rules ask about a finished file.
package struct FinishedFacts: Sendable, Hashable {
    package var name: String
    package var size: Int64
    /// The host of the URL; `nil` if the URL has none.
    package var host: String?
    /// The media type that the server has sent, in lower case and without parameters.
    package var mediaType: String?
    package var session: String?
    package var label: String?

    package init(name: String, size: Int64) { (self.name, self.size) = (name, size) }
}

extension StringProtocol {
    /// The first position of a text of two ASCII characters.
    fileprivate func range(ofASCII text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
