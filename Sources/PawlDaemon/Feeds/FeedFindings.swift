internal import struct FoundationEssentials.Date
internal import Pawl
internal import PawlCore
internal import PawlWire

/// What a check of a feed has found, ready to be recorded.
///
/// It is made outside the queue, because a feed may have thousands of items.
struct FeedFindings: Sendable {
    /// What one transaction records.
    struct Batch: Sendable {
        var downloads: [DownloadAdder.Prepared] = []
        /// The keys of the items of the downloads, in the same order.
        var added: [ExactText] = []
        /// The keys of other items that are recorded as seen.
        var seen: [ExactText] = []
        var forgotten: [ExactText] = []
    }

    private typealias Found = (key: ExactText, download: DownloadAdder.Prepared)

    let reading: FeedReading
    /// In the order in which they are recorded.
    private(set) var batches: [Batch] = []
    /// The number of items that have no usable URL.
    private(set) var unusable = 0
    /// Why the first of them is not usable.
    private(set) var reason: DownloadError?
    private var skipped = 0

    /// The maximum number of items that one transaction records as seen, or forgets.
    private static let mostKeys = 500
    /// The maximum number of downloads that one transaction adds.
    private static let mostDownloads = 20

    /// Findings without any items.
    init(_ reading: FeedReading) { self.reading = reading }

    /// - Parameters:
    ///   - template: The download that each item becomes.
    ///   - names: The names of the files; `nil` leaves them to the servers.
    init(
        _ reading: FeedReading,
        _ decision: FeedMemory.Decision,
        _ template: NewDownload,
        _ names: TitleNames?,
        of owner: DownloadOwner,
        at now: Date
    ) {
        self.reading = reading
        skipped = decision.skipped
        var names = names
        var found: [Found] = []
        var seen = decision.seen
        for item in decision.added {
            do throws(DownloadError) {
                var download = try template.forItem(at: item.url)
                if let name = names?.take(for: item) {
                    download.destination = template.destination.asFolderPath + name
                    // Several items may have one title, and so may another feed.
                    var settings = download.settings ?? SettingsDocument()
                    settings[\.ifExists] = .rename
                    download.settings = settings
                }
                let prepared = try DownloadAdder.Prepared(download, of: owner, at: now)
                found.append((item.key, prepared))
            } catch {
                seen.append(item.key)
                unusable += 1
                reason = reason ?? error
            }
        }
        // The items that are not added come first: if the first check of a feed is interrupted, the
        // next one still finds the same newest items.
        for keys in Self.pieces(seen, Self.mostKeys) {
            batches.append(Batch(seen: keys))
        }
        for keys in Self.pieces(decision.forgotten, Self.mostKeys) {
            batches.append(Batch(forgotten: keys))
        }
        for found in Self.pieces(found, Self.mostDownloads) {
            batches.append(Batch(downloads: found.map(\.download), added: found.map(\.key)))
        }
    }

    private static func pieces<Element>(_ all: [Element], _ size: Int) -> [[Element]] {
        stride(from: 0, to: all.count, by: size).map { start in
            Array(all[start..<min(start + size, all.count)])
        }
    }

    /// What the user should know of a check that has succeeded; `nil` if nothing.
    var problem: DownloadError? {
        guard skipped > 0 else { return nil }
        return DownloadError(
            .tooLarge,
            "the feed had \(skipped + FeedMemory.mostAdded) new items at once, "
                + "of which only the newest \(FeedMemory.mostAdded) are added",
            advice: "add the others by their own URLs, or narrow the rules of the feed"
        )
    }
}

extension NewDownload {
    /// The schemes of items: a feed must not name files of this computer.
    private static let itemSchemes: [URLScheme] = [.http, .https, .ftp, .ftpes, .ftps]

    /// Returns the download of an item; the secrets for the feed are kept if the server is the same.
    fileprivate func forItem(at url: String) throws(DownloadError) -> NewDownload {
        var download = self
        try download.change(url: url, settings: SettingsDocument())
        let address = try download.checked().url
        guard let scheme = URLScheme(of: address.scheme), Self.itemSchemes.contains(scheme) else {
            let shown = address.redacted.sanitized(atMost: 200)
            throw .usage("'\(shown)' is not the URL of a file on a server")
        }
        return download
    }
}
