internal import PawlCore
internal import struct FoundationEssentials.URL

/// Collects the items of a feed from the parts of its XML.
///
/// What it does not know is left out, as the formats demand.
struct FeedParser {
    private enum Format { case rss, rdf, atom }

    private static let atom = "http://www.w3.org/2005/Atom"
    private static let rss1 = "http://purl.org/rss/1.0/"
    private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    private static let dublinCore = "http://purl.org/dc/elements/1.1/"
    private static let syndication = "http://purl.org/rss/1.0/modules/syndication/"
    /// Feeds write it with and without the slash.
    private static let media: Set = [
        "http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss",
    ]
    /// The maximum length of a title, in Unicode scalars: one character may have thousands.
    private static let longestTitle = 300
    /// The maximum length of a URL and of the URL to which it refers, in bytes; a download accepts
    /// no longer one.
    private static let longestURL = 32 << 10
    /// The maximum length of all URLs that are made absolute, in bytes: a short document can refer
    /// to a long base thousands of times.
    private static let mostURLBytes = 32 << 20

    private struct Open {
        var element: XMLElement
        /// The URL to which relative URLs in the element refer.
        var base: URL
    }

    private(set) var document = FeedDocument()
    private let url: URL
    private var format: Format?
    private var path: [Open] = []
    /// The item that is being read.
    private var item: FeedDocument.Item?
    /// The number of elements around the item.
    private var itemDepth = 0
    /// The file of `media:content`, which counts if the item has no enclosure.
    private var mediaURL: String?
    private var mediaType: String?
    private var isMediaDefault = false
    private var updatePeriod: Int64?
    private var updateFrequency: Int64 = 1
    private var timeToLive: Int64?
    /// The length of the URLs that were made absolute so far, in bytes.
    private var urlBytes = 0

    init(_ url: URL) { self.url = url }

    mutating func take(_ event: XMLEvent) throws(DownloadError) {
        switch event {
        case .start(let element):
            if path.isEmpty { try begin(element) }
            let base = path.last?.base ?? url
            let own = try resolved(element.base, base).flatMap { URL(string: $0) }
            if isItem(element.name) {
                item = FeedDocument.Item()
                itemDepth = path.count
                (mediaURL, mediaType, isMediaDefault) = (nil, nil, false)
            } else if item != nil {
                try started(element, own ?? base)
            }
            path.append(Open(element: element, base: own ?? base))
        case .end(let name, let text):
            guard let open = path.popLast() else { return }
            if item != nil, path.count == itemDepth {
                try finishItem()
            } else if item != nil {
                try ended(name, text, open)
            } else if path.count <= 2 {
                endedOutside(name, text)
            }
            if path.isEmpty { finish() }
        }
    }

    private mutating func begin(_ root: XMLElement) throws(DownloadError) {
        format =
            switch (root.name.local, root.name.namespace) {
            case ("rss", _): .rss
            case ("RDF", Self.rdf): .rdf
            case ("feed", Self.atom): .atom
            default: nil
            }
        guard format != nil else {
            throw DownloadError(
                .badResponse,
                "it is not a feed: its root element is '\(root.name.local.sanitized(atMost: 40))'",
                advice: "give the URL of an RSS or Atom feed"
            )
        }
    }

    private func isItem(_ name: XMLName) -> Bool {
        guard item == nil, !path.isEmpty else { return false }
        return switch format {
        case .rss: name == XMLName("item") && path.count == 2
        case .rdf: name == XMLName("item", namespace: Self.rss1) && path.count == 1
        case .atom: name == XMLName("entry", namespace: Self.atom) && path.count == 1
        case nil: false
        }
    }

    /// The namespace of the format's own elements.
    private var namespace: String {
        switch format {
        case .rdf: Self.rss1
        case .atom: Self.atom
        default: ""
        }
    }

    // MARK: - In an item

    private mutating func started(
        _ element: XMLElement,
        _ base: URL
    ) throws(DownloadError) {
        let (name, attributes) = (element.name, element.attributes)
        let isDirect = path.count == itemDepth + 1
        switch (name.local, name.namespace) {
        case ("enclosure", namespace) where isDirect:
            try note(enclosure: attributes["url"], attributes["type"], base)
        case ("link", Self.atom) where isDirect:
            switch attributes["rel"] ?? "alternate" {
            case "enclosure": try note(enclosure: attributes["href"], attributes["type"], base)
            case "alternate" where format == .atom && item?.link == nil:
                let link = try resolved(attributes["href"], base)
                item?.link = link
            default: break
            }
        case ("content", _) where Self.media.contains(name.namespace):
            // The contents of a group are forms of the same file.
            let isDefault = attributes["isDefault"] == "true"
            guard mediaURL == nil || isDefault && !isMediaDefault,
                let found = try resolved(attributes["url"], base)
            else { return }
            (mediaURL, mediaType, isMediaDefault) = (found, attributes["type"], isDefault)
        default: break
        }
    }

    /// Takes the first enclosure.
    private mutating func note(
        enclosure text: String?,
        _ mediaType: String?,
        _ base: URL
    ) throws(DownloadError) {
        guard item?.enclosure == nil else { return }
        let enclosure = try resolved(text, base)
        item?.enclosure = enclosure
        item?.mediaType = enclosure == nil ? nil : mediaType
    }

    private mutating func ended(
        _ name: XMLName,
        _ text: String,
        _ open: Open
    ) throws(DownloadError) {
        guard path.count == itemDepth + 1 else { return }
        let text = text.trimmed
        switch (name.local, name.namespace) {
        case ("title", namespace):
            let title = title(text, open.element)
            item?.title = title
        case ("guid", ""), ("id", Self.atom): item?.id = text.isEmpty ? nil : text
        case ("link", namespace) where format != .atom:
            let link = try resolved(text, open.base)
            item?.link = link
        case ("pubDate", ""), ("date", Self.dublinCore), ("published", Self.atom):
            guard let seconds = FeedDate.seconds(text) else { return }
            item?.published = seconds
        case ("updated", Self.atom) where item?.published == nil:
            item?.published = FeedDate.seconds(text)
        default: break
        }
    }

    private func title(_ text: String, _ element: XMLElement) -> String {
        // The text of an Atom title is plain unless it says otherwise (RFC 4287 §3.1.1).
        let isPlain = format == .atom && (element.attributes["type"] ?? "text") == "text"
        let plain = isPlain ? text : CharacterReferences.replaced(in: text)
        let words = plain.split { $0.isWhitespace }.joined(separator: " ")
        return String(words.unicodeScalars.prefix(Self.longestTitle))
    }

    private mutating func finishItem() throws(DownloadError) {
        guard var item else { return }
        self.item = nil
        if item.enclosure == nil { (item.enclosure, item.mediaType) = (mediaURL, mediaType) }
        guard document.items.count < FeedDocument.mostItems else {
            throw DownloadError(
                .badResponse,
                "the feed has more than \(FeedDocument.mostItems) items",
                advice: "use a feed that contains only the newest ones"
            )
        }
        document.items.append(item)
    }

    // MARK: - Outside the items

    private mutating func endedOutside(_ name: XMLName, _ text: String) {
        // An image of the channel has a title, too.
        let isInPlace =
            format == .atom ? path.count == 1 : path.last?.element.name.local == "channel"
        guard isInPlace else { return }
        let text = text.trimmed
        switch (name.local, name.namespace) {
        case ("title", namespace) where document.title.isEmpty:
            document.title = title(text, XMLElement(name))
        case ("ttl", ""): timeToLive = Int64(text)
        case ("updatePeriod", Self.syndication): updatePeriod = Self.periods[text.lowercased()]
        case ("updateFrequency", Self.syndication): updateFrequency = Int64(text) ?? 1
        default: break
        }
    }

    private static let periods: [String: Int64] = [
        "hourly": 3600, "daily": 86_400, "weekly": 604_800, "monthly": 2_592_000,
        "yearly": 31_536_000,
    ]

    private mutating func finish() {
        let minutes = timeToLive.flatMap { (1...1_000_000).contains($0) ? $0 : nil }
        let period = updatePeriod.map { $0 / max(1, updateFrequency) }
        let longest = [minutes.map { $0 * 60 }, period].compactMap(\.self).max()
        document.updateInterval = longest.map { .seconds($0) }
    }

    // MARK: - URLs

    /// Returns a URL as an absolute one; `nil` if it is not valid, or too long.
    private mutating func resolved(
        _ text: String?,
        _ base: URL
    ) throws(DownloadError) -> String? {
        guard let text = text?.trimmed, !text.isEmpty, !text.holdsUnsafeToShow else { return nil }
        let length = text.utf8.count + base.absoluteString.utf8.count
        guard length <= Self.longestURL else { return nil }
        urlBytes += length
        guard urlBytes <= Self.mostURLBytes else {
            throw DownloadError(
                .badResponse,
                "the URLs of the feed are longer than \(Self.mostURLBytes >> 20) MiB together",
                advice: "use a feed that contains only the newest items"
            )
        }
        let url = URL(string: text.encodingIllegalURLBytes, relativeTo: base)?.absoluteString
        return url.flatMap { $0.utf8.count <= Self.longestURL ? $0 : nil }
    }
}
