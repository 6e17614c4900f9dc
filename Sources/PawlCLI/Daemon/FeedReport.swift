package import FoundationEssentials
internal import PawlCore
package import PawlWire

/// Feeds as text.
package struct FeedReport {
    private static let headings = [
        "ID", "NAME", "EVERY", "CHECKED", "NEXT", "ADDED", "URL", "NOTE",
    ]

    private let now: Date
    private let time: LocalTime

    package init(now: Date, time: LocalTime = LocalTime()) {
        (self.now, self.time) = (now, time)
    }

    /// The table of `pawl feed list`.
    package func table(_ feeds: [WireFeed]) -> String {
        guard !feeds.isEmpty else { return "No feeds.\n" }
        return String.columns([Self.headings] + feeds.map(cells))
    }

    private func cells(_ feed: WireFeed) -> [String] {
        [
            "\(feed.id)", feed.name.sanitized,
            FeedInterval.text(feed.rules.everySeconds ?? FeedRules.usualSeconds),
            feed.checkedAt.map { time.brief($0, now: now) } ?? "-",
            feed.nextCheck.map { time.brief($0, now: now) } ?? "-", "\(feed.added)",
            feed.url.sanitized, feed.problem?.title.sanitized ?? "",
        ]
    }

    /// A line about one check.
    package static func line(_ check: WireFeedCheck) -> String {
        let result =
            switch (check.feed.failures, check.downloads.count) {
            case (.some, _): "failed"
            case (nil, 0) where check.feed.problem?.code == .conflict: "changed meanwhile"
            case (nil, 0): "nothing new"
            case (nil, 1): "1 download added"
            case (nil, let count): "\(count) downloads added"
            }
        return "\(check.feed.id)\t\(result)\t\(check.feed.name.sanitized)\n"
    }
}
