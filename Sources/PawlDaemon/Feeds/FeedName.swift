internal import FoundationEssentials
internal import Pawl
package import PawlCore
internal import PawlWire

/// The names of feeds to which the user has given none.
package enum FeedName {
    /// The maximum length in bytes, without a number at the end.
    private static let longest = 100

    /// Returns the name of a feed with this title; `nil` if the title cannot be a name.
    ///
    /// The name has no characters that a terminal must not show, or that would make it a pattern.
    package static func after(title: String) -> String? {
        // A title that is stored has the replacement character for each of them. A name must be
        // neither a pattern of names nor an option.
        let visible = title.unicodeScalars.filter {
            !$0.isUnsafeToShow && $0 != "\u{FFFD}" && $0 != "*" && $0 != "?"
        }
        var name = ""
        for character in String(visible).trimmed.drop(while: { $0 == "-" }) {
            guard name.utf8.count + character.utf8.count <= longest else { break }
            name.append(character)
        }
        name = name.trimmed
        do throws(DownloadError) {
            try NewFeed.check(name: name)
            return name
        } catch {
            return nil
        }
    }

    /// Returns the name of a feed whose title is not known: the host of its URL.
    package static func after(url: String) -> String {
        // A URL that a newer version has accepted may not be valid here.
        let host = (try? SourceURL.parse(url))?.url.host()
        return String((host ?? "feed").prefix(longest))
    }

    /// Returns this name, or the first one with a number at its end that is not taken.
    package static func firstUnused(_ name: String, _ taken: Set<ExactText>) -> String {
        let free: String? = FreeName.search { number in
            // The first number after the name itself is 2.
            let numbered = number == 0 ? name : "\(name)-\(number + 1)"
            return taken.contains(ExactText(numbered)) ? nil : numbered
        }
        return free ?? name
    }

    /// Whether ``firstUnused(_:_:)`` may have made a name of this base.
    package static func isMade(_ name: String, of base: String) -> Bool {
        guard name.utf8.starts(with: base.utf8) else { return false }
        let rest = name.utf8.dropFirst(base.utf8.count)
        guard let first = rest.first else { return true }
        let number = String(decoding: rest.dropFirst(), as: UTF8.self)
        return first == UInt8(ascii: "-") && Int(number) != nil
    }
}

extension FeedTable.Row {
    private var hostName: String { FeedName.after(url: request.download.url) }

    private var titleName: String? { state.title.flatMap { FeedName.after(title: $0) } }

    /// Whether the feed is named after its host or its title.
    private var hasDerivedName: Bool {
        guard request.name == nil else { return false }
        return [hostName, titleName].contains { base in
            base.map { FeedName.isMade(name, of: $0) } ?? false
        }
    }

    /// Names the feed after its title, or its host, unless the user has named it.
    ///
    /// - Parameters:
    ///   - before: The feed before the change of its title or URL.
    ///   - taken: The names of all feeds.
    package mutating func rename(since before: Self, _ taken: Set<ExactText>) {
        guard before.hasDerivedName, request.name == nil else { return }
        let base = titleName ?? hostName
        guard !FeedName.isMade(name, of: base) else { return }
        name = FeedName.firstUnused(base, taken)
    }
}
