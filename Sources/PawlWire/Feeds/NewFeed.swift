internal import struct FoundationEssentials.URL
package import PawlCore

/// A feed to be added.
///
/// It may contain secrets, so it is never returned.
package struct NewFeed: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case name, download, rules
    }

    package static let knownMembers = KnownMembers(
        CodingKeys.self,
        objects: [.download: NewDownload.knownMembers, .rules: FeedRules.knownMembers]
    )

    /// The name of the feed; `nil` uses its title, and the host of its URL until the title is known.
    package var name: String?
    /// The download that an item of the feed becomes, with the URL of the feed.
    ///
    /// Its settings apply to the requests for the feed, too. Secrets are sent to the server of the
    /// feed only.
    package var download: NewDownload
    package var rules: FeedRules?

    package init(_ download: NewDownload, name: String? = nil, rules: FeedRules? = nil) {
        (self.download, self.name, self.rules) = (download, name, rules)
    }

    /// Checks the feed.
    ///
    /// Throws `.usage`.
    package func check() throws(DownloadError) {
        if let name { try Self.check(name: name) }
        try rules?.check()
        let checked = try download.checked()
        guard [.http, .https].contains(URLScheme(of: checked.url.scheme)) else {
            throw .usage(
                "'\(checked.url.redacted)' is not the URL of a feed",
                advice: "give a URL with http or https"
            )
        }
        if case .object = checked.destination {
            throw .usage(
                "the files of a feed cannot become objects",
                advice: "choose a folder of this machine"
            )
        }
        guard case .directory = checked.destination else {
            throw .usage(
                "'\(download.destination.sanitized(atMost: 100))' is not a folder",
                advice: "name a folder with a slash at its end, because a feed adds several files"
            )
        }
        guard
            download.taskIdentifier == nil, download.resumeData == nil,
            download.storageKey == nil, download.replaces == nil, download.notBefore == nil
        else {
            throw .usage(
                "the downloads of a feed have no task identifier, resume data, key or date",
                advice: "leave them out"
            )
        }
    }

    /// Checks the name of a feed.
    ///
    /// Throws `.usage`.
    package static func check(name: String) throws(DownloadError) {
        guard SessionName.isOne(name), Int64(name) == nil else {
            throw .usage(
                "invalid feed name '\(name.sanitized(atMost: 40))'",
                advice: "use 1 to 200 bytes without control characters, and not only digits"
            )
        }
    }
}

/// Changes of a feed; omitted values stay as they are.
package struct FeedChanges: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case name, url, rules, destination, label, session
    }

    package static let knownMembers = KnownMembers(
        CodingKeys.self,
        objects: [.rules: FeedRules.knownMembers]
    )

    package var name: String?
    package var url: String?
    package var rules: FeedRules?
    /// The folder of the downloads that are added from now on.
    package var destination: String?
    /// The label of the downloads that are added from now on; an empty one removes it.
    package var label: String?
    /// The session of the downloads that are added from now on; an empty one removes it.
    package var session: String?

    package init() {}

    package var isEmpty: Bool { self == FeedChanges() }
}
