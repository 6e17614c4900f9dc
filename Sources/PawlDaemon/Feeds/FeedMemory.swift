package import struct FoundationEssentials.Date
package import Pawl
package import PawlCore
package import PawlWire

/// Decides which items of a feed are new, and which of the old ones are forgotten (pure).
package enum FeedMemory {
    /// The number of items that are remembered besides those that the feed still contains.
    static let mostItems = 5_000
    /// The time for which an item is remembered that the feed no longer contains, in seconds.
    static let longestTime: Double = 400 * 86_400
    /// The time after which the record of an item that is still there is renewed, in seconds.
    private static let renewal: Double = 86_400
    /// The maximum length of a key, in bytes.
    private static let longestKey = 500

    /// The maximum number of items that one check adds, unless the first check is to add more.
    package static let mostAdded = 100

    /// What is to be done after a feed was read.
    package struct Decision: Sendable, Hashable {
        /// The items to add, the oldest one first.
        package var added: [Addition] = []
        /// The keys of the other items to be recorded as seen now.
        package var seen: [ExactText] = []
        /// The keys of items to be forgotten.
        package var forgotten: [ExactText] = []
        /// The number of new items that are not added, because there are too many at once.
        package var skipped = 0

        package init() {}
    }

    /// An item to add.
    package struct Addition: Sendable, Hashable {
        /// The key to be recorded together with the download.
        package var key: ExactText
        package var url: String
        /// The title of the item; empty if there is none.
        package var title: String
        /// The media type of the file that the feed states; `nil` if it states none.
        package var mediaType: String?

        package init(
            key: ExactText,
            url: String,
            title: String = "",
            mediaType: String? = nil
        ) {
            (self.key, self.url) = (key, url)
            (self.title, self.mediaType) = (title, mediaType)
        }
    }

    /// - Parameters:
    ///   - known: The keys of the items that were seen, with the times when they were seen last.
    ///   - isFirst: Whether the feed is read for the first time, when only the newest items are
    ///     added.
    package static func decide(
        _ document: FeedDocument,
        known: [ExactText: Date],
        rules: FeedRules,
        isFirst: Bool,
        at now: Date
    ) -> Decision {
        var decision = Decision()
        var present: Set<ExactText> = []
        var new: [(item: Addition, published: Int64?)] = []
        for item in document.items {
            let link = rules.takesLinks == true ? item.link : nil
            let url = item.enclosure ?? link
            guard let text = item.id ?? item.enclosure ?? item.link else { continue }
            let own = key(text)
            // An item without a file is seen as such: it may get its file later.
            let withoutFile = key(withoutFilePrefix + text)
            let isSeen =
                known[own] != nil || item.enclosure == nil && known[withoutFile] != nil
            let isWithoutFile = known[own] == nil && (isSeen || url == nil)
            let recorded = isWithoutFile ? withoutFile : own
            guard present.insert(recorded).inserted else { continue }
            // The clock may have been set back.
            let isRecent = known[recorded].map { abs(now.timeIntervalSince($0)) < renewal } ?? false
            if let url, !isSeen, rules.accept(title: item.title, fileName: fileName(url)) {
                var addition = Addition(key: own, url: url, title: item.title)
                // A link leads to a page.
                addition.mediaType = item.enclosure == nil ? "text/html" : item.mediaType
                new.append((addition, item.published))
            } else if !isRecent {
                decision.seen.append(recorded)
            }
        }
        let ordered = newestFirst(new)
        let asked = isFirst ? rules.newest ?? FeedRules.usualNewest : ordered.count
        let count = isFirst ? asked : min(asked, mostAdded)
        decision.added = ordered.prefix(count).reversed()
        decision.seen += ordered.dropFirst(count).map(\.key)
        decision.skipped = isFirst ? 0 : max(0, ordered.count - count)
        decision.forgotten = forgotten(known, besides: present, at: now)
        return decision
    }

    /// No id and no URL begins with a line break.
    private static let withoutFilePrefix = "\nwithout a file:"

    /// The dates decide if all items have one; otherwise the order of the feed, which begins with
    /// the newest.
    private static func newestFirst(_ items: [(item: Addition, published: Int64?)]) -> [Addition] {
        let dates = items.compactMap(\.published)
        guard dates.count == items.count else { return items.map(\.item) }
        return zip(items, dates).enumerated()
            .sorted { one, other in
                one.element.1 == other.element.1
                    ? one.offset < other.offset : one.element.1 > other.element.1
            }
            .map(\.element.0.item)
    }

    private static func forgotten(
        _ known: [ExactText: Date],
        besides present: Set<ExactText>,
        at now: Date
    ) -> [ExactText] {
        let absent = known.filter { !present.contains($0.key) }
            .sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        let oldest = now.addingTimeInterval(-longestTime)
        return absent.enumerated().filter { $0.offset >= mostItems || $0.element.value < oldest }
            .map(\.element.key)
    }

    /// The text that identifies an item: a long one is shortened, with a checksum.
    private static func key(_ text: String) -> ExactText {
        guard text.utf8.count > longestKey else { return ExactText(text) }
        let bytes = Array(text.utf8)
        let start = String(decoding: bytes.prefix(longestKey - 20), as: UTF8.self)
        return ExactText("\(start)\n\(CyclicChecksum.of(bytes))")
    }

    /// The last part of the URL's path.
    private static func fileName(_ url: String) -> String {
        let path = String(url.prefix { $0 != "?" && $0 != "#" })
        return path.pathNames.last?.percentDecoded ?? ""
    }
}
