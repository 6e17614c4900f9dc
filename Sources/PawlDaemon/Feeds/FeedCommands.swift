internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The commands of clients for feeds, and the record of their checks.
struct FeedCommands {
    let parts: QueueParts
    let adder: DownloadAdder

    /// The maximum number of feeds.
    private static let mostFeeds = 1_000

    private var store: DaemonStore { parts.environment.store }

    // MARK: - Commands

    /// Adds a feed, which is checked at once.
    func add(_ new: NewFeed, by authority: Authority) throws(DownloadError) -> WireFeed {
        try AccessRules.check(.addFeed, by: authority)
        let rules = parts.settings.networkRules
        var new = new
        new.download = try QueueAccess.admitted([new.download], by: authority, rules)[0]
        try new.check()
        let feed = try store.writeWithRoom { transaction in
            if let session = new.download.session {
                try QueueAccess.check(.addToSession, session, by: authority, transaction)
            }
            let others = try transaction.feeds.all()
            guard others.count < Self.mostFeeds else {
                throw Conflict.error(
                    "there are \(others.count) feeds, which is the maximum",
                    advice: "remove one: pawl feed remove"
                )
            }
            let name = try Self.name(new, Set(others.map { ExactText($0.name) }))
            let owner = authority.owner ?? .user
            var feed = FeedTable.Row(name: name, owner: owner, request: new, at: Date())
            feed.id = try transaction.feeds.insert(feed)
            return feed
        }
        parts.environment.feeds.send()
        return WireFeed(feed)
    }

    /// Returns the given name, or a free one after the host.
    private static func name(
        _ new: NewFeed,
        _ taken: Set<ExactText>
    ) throws(DownloadError) -> String {
        if let name = new.name {
            guard !taken.contains(ExactText(name)) else { throw nameIsTaken(name) }
            return name
        }
        let host = String((try new.download.checked().url.host() ?? "feed").prefix(100))
        let names = [host] + (2...mostFeeds + 1).map { "\(host)-\($0)" }
        return names.first { !taken.contains(ExactText($0)) } ?? host
    }

    private static func nameIsTaken(_ name: String) -> DownloadError {
        Conflict.error(
            "there is a feed '\(name.sanitized)' already",
            advice: "choose another name"
        )
    }

    func change(
        _ id: Int64,
        _ changes: FeedChanges,
        by authority: Authority
    ) throws(DownloadError) -> WireFeed {
        let rules = parts.settings.networkRules
        if let name = changes.name { try NewFeed.check(name: name) }
        try changes.rules?.check()
        let feed = try store.writeWithRoom { transaction in
            var feed = try Self.find(id, .control, by: authority, transaction)
            if let name = changes.name, !name.isExactly(feed.name) {
                let others = try transaction.feeds.all()
                guard !others.contains(where: { $0.name.isExactly(name) }) else {
                    throw Self.nameIsTaken(name)
                }
                feed.name = name
            }
            if let rules = changes.rules { feed.request.rules = feed.rules.merging(rules) }
            if let url = changes.url {
                try AccessRules.check(.readdress, by: authority, owner: feed.owner)
                try feed.move(to: url)
                // With another URL, the feed counts as added by this authority, now.
                let download = feed.request.download
                feed.request.download = try QueueAccess.admitted([download], by: authority, rules)[
                    0
                ]
                feed.state.avoidsPrivateAddresses = nil
            }
            try feed.request.check()
            feed.reschedule(isOtherFeed: changes.url != nil, at: Date())
            try transaction.feeds.save(feed)
            return feed
        }
        parts.environment.feeds.send()
        return WireFeed(feed)
    }

    /// Removes a feed, and forgets its items; its downloads stay.
    func remove(_ id: Int64, by authority: Authority) throws(DownloadError) {
        try store.writeInAnyCase { transaction in
            let feed = try Self.find(id, .remove, by: authority, transaction)
            try transaction.feeds.delete(feed.id)
        }
    }

    /// Throws `.notFound` if there is no such feed, `.notAllowed` if a check is refused.
    func authorizeCheck(_ id: Int64, by authority: Authority) throws(DownloadError) {
        _ = try store.write { try Self.find(id, .control, by: authority, $0) }
    }

    private static func find(
        _ id: Int64,
        _ demand: Demand,
        by authority: Authority,
        _ transaction: StoreTransaction
    ) throws -> FeedTable.Row {
        guard let feed = try transaction.feeds.find(id) else { throw DownloadError.noFeed(id) }
        try AccessRules.check(demand, by: authority, owner: feed.owner)
        return feed
    }

    // MARK: - Checks

    /// Records a check: the new downloads, the items that were seen and the next check, in one
    /// transaction.
    ///
    /// - Parameter asked: The feed as it was when it was requested.
    func record(
        _ reading: Result<FeedReading, DownloadError>,
        of asked: FeedTable.Row,
        jitter: Double
    ) throws(DownloadError) -> WireFeedCheck {
        let found = try store.write { transaction in
            try transaction.feeds.find(asked.id).map {
                ($0, try transaction.feeds.items(of: asked.id))
            }
        }
        guard let (feed, items) = found else { throw DownloadError.noFeed(asked.id) }
        // What was read is of another feed if its URL was changed meanwhile.
        guard feed.request.download.url == asked.request.download.url else {
            return WireFeedCheck(WireFeed(feed), downloads: [])
        }
        do throws(DownloadError) {
            return try record(try reading.get(), of: feed, items, jitter)
        } catch {
            return try record(error, of: feed, jitter)
        }
    }

    private func record(
        _ reading: FeedReading,
        of before: FeedTable.Row,
        _ items: [ExactText: Date],
        _ jitter: Double
    ) throws(DownloadError) -> WireFeedCheck {
        let now = Date()
        var feed = before
        feed.learn(reading, at: now)
        let decision = reading.document.map { document in
            FeedMemory.decide(
                document,
                known: items,
                rules: feed.rules,
                isFirst: !before.state.isKnown,
                at: now
            )
        }
        let downloads = try downloads(decision?.added ?? [], of: feed)
        feed.state.added += downloads.count
        feed.nextCheck = FeedSchedule.next(
            feed.rules,
            feed.state,
            after: nil,
            at: now,
            jitter: jitter
        )
        if let url = reading.permanentURL { feed.follow(to: url) }
        let outcome = try adder.add(downloads, of: feed.owner) { [feed] transaction in
            if let decision { try transaction.feeds.record(decision, of: feed.id, at: now) }
            try transaction.feeds.save(feed)
        }
        return WireFeedCheck(WireFeed(feed), downloads: outcome.downloads.map(\.id))
    }

    private func record(
        _ error: DownloadError,
        of before: FeedTable.Row,
        _ jitter: Double
    ) throws(DownloadError) -> WireFeedCheck {
        let now = Date()
        var feed = before
        feed.state.checkedAt = now
        feed.state.failures += 1
        feed.state.problem = Problem(error)
        feed.nextCheck = FeedSchedule.next(
            feed.rules,
            feed.state,
            after: error,
            at: now,
            jitter: jitter
        )
        try store.writeInAnyCase { [feed] in try $0.feeds.save(feed) }
        return WireFeedCheck(WireFeed(feed), downloads: [])
    }

    /// Returns the downloads for the URLs of items; a URL that cannot be downloaded is left out.
    private func downloads(
        _ urls: [String],
        of feed: FeedTable.Row
    ) throws(DownloadError) -> [NewDownload] {
        var template = feed.request.download
        guard !urls.isEmpty else { return [] }
        if template.confinedTo != nil {
            // The folder may no longer be allowed, or may lead to another place.
            template.confinedTo = try QueueAccess.root(
                of: template.destination,
                parts.settings.networkRules
            )
        }
        let credentials = try SourceURL.parse(template.url).credentials
        if let credentials, template.settings?[\.credentials] == nil {
            var settings = template.settings ?? SettingsDocument()
            settings[\.credentials] = .some(credentials)
            template.settings = settings
        }
        if feed.state.avoidsPrivateAddresses == true { template.avoidsPrivateAddresses = true }
        return urls.compactMap { (url) -> NewDownload? in
            do throws(DownloadError) {
                return try template.forItem(at: url)
            } catch {
                parts.environment.logger.warning(
                    "feed \(feed.id) (\(feed.name.sanitized)): an item was left out: \(error)"
                )
                return nil
            }
        }
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
            throw .usage("'\(address.redacted)' is not the URL of a file on a server")
        }
        return download
    }
}

extension FeedTable.Row {
    /// Takes over what a request has returned.
    fileprivate mutating func learn(_ reading: FeedReading, at now: Date) {
        state.checkedAt = now
        (state.failures, state.problem) = (0, nil)
        // Once a public server has sent the feed, it never counts as private.
        let isPrivate = reading.isPrivate && state.avoidsPrivateAddresses != true
        state.avoidsPrivateAddresses = !isPrivate
        // A 304 need not repeat them (RFC 9110 §15.4.5).
        guard let document = reading.document else { return }
        (state.entityTag, state.lastModified) = (reading.entityTag, reading.lastModified)
        state.title = document.title.isEmpty ? nil : document.title.sanitized
        state.updateSeconds = document.updateInterval?.components.seconds
        state.isKnown = true
    }

    /// Uses another URL; the secrets for the old one are dropped if its server is another one.
    ///
    /// Throws `.usage` for a URL that is not valid.
    fileprivate mutating func move(to url: String) throws(DownloadError) {
        try request.download.change(url: url, settings: SettingsDocument())
        (state.entityTag, state.lastModified) = (nil, nil)
        (state.failures, state.problem) = (0, nil)
    }

    /// Follows a permanent redirect; one that cannot be stored is followed again with each check.
    fileprivate mutating func follow(to url: URL) {
        var moved = self
        guard
            (try? moved.request.download.change(url: url.absoluteString, settings: .init())) != nil,
            (try? moved.request.check()) != nil
        else { return }
        self = moved
    }

    /// Plans the next check after a change.
    fileprivate mutating func reschedule(isOtherFeed: Bool, at now: Date) {
        let seconds = rules.everySeconds ?? FeedRules.usualSeconds
        guard seconds > 0 else { return nextCheck = nil }
        let latest = now.addingTimeInterval(Double(seconds))
        nextCheck = isOtherFeed ? now : min(nextCheck ?? now, latest)
    }
}

extension WireFeed {
    init(_ row: FeedTable.Row) {
        let download = row.request.download
        self.init(
            id: row.id,
            name: row.name,
            // A URL that a newer version has accepted may not be valid here.
            url: (try? SourceURL.parse(download.url))?.url.redacted ?? "",
            destination: download.destination.sanitized,
            owner: row.owner,
            createdAt: row.createdAt
        )
        rules = row.rules
        (title, nextCheck, added) = (row.state.title, row.nextCheck, row.state.added)
        (checkedAt, problem) = (row.state.checkedAt, row.state.problem)
        failures = row.state.failures > 0 ? row.state.failures : nil
    }
}
