internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The commands of clients for feeds.
struct FeedCommands {
    let parts: QueueParts
    let undo: RemovalUndo

    private var store: any QueueStore { parts.environment.store }

    // MARK: - Commands

    /// Adds a feed, which is checked at once.
    ///
    /// `key`: the idempotency key of the request.
    func add(
        _ new: NewFeed,
        key: String?,
        by authority: Authority
    ) throws(DownloadError) -> WireFeed {
        try AccessRules.check(.addFeed, by: authority)
        let rules = parts.settings.networkRules
        var new = new
        // Each check asks the label for the rest.
        new.download.destination = try parts.labels.completed(new.download).destination
        new.download = try QueueAccess.admitted([new.download], by: authority, rules)[0]
        try new.check()
        let key = try key.map { (key) throws(DownloadError) in
            IdempotencyKey(key, of: authority, contents: try Self.contents(new))
        }
        let feed = try store.writeWithRoom { transaction in
            if let known = try key?.ids(transaction) {
                return try Self.find(known.lowerBound, .read, by: authority, transaction)
            }
            if let session = new.download.session {
                try QueueAccess.check(.addToSession, session, by: authority, transaction)
            }
            let taken = try transaction.feeds.names()
            try Self.checkRoom(taken)
            let name = try Self.name(new, taken)
            let owner = authority.owner ?? .user
            let now = transaction.now
            var feed = FeedTable.Row(name: name, owner: owner, request: new, at: now)
            feed.id = try transaction.feeds.insert(feed)
            try key?.record(feed.id...feed.id, transaction)
            return feed
        }
        parts.environment.feeds.send()
        return WireFeed(feed)
    }

    /// Throws `.conflict` if there is no room for another feed.
    static func checkRoom(_ taken: Set<ExactText>) throws(DownloadError) {
        guard taken.count >= FeedTable.most else { return }
        throw Conflict.error(
            "there are \(taken.count) feeds, which is the maximum",
            advice: "remove one: pawl feed remove"
        )
    }

    /// The feed without its secrets, for a checksum.
    private static func contents(_ new: NewFeed) throws(DownloadError) -> [UInt8] {
        var plain = new
        let url = try new.download.checked().url.redacted
        plain.download = new.download.withoutSecrets(url: url)
        return Array("feed\n".utf8) + (try WireJSON.encode(plain))
    }

    /// Returns the given name, or a free one until the title of the feed is known.
    private static func name(
        _ new: NewFeed,
        _ taken: Set<ExactText>
    ) throws(DownloadError) -> String {
        guard let name = new.name else {
            return FeedName.firstUnused(FeedName.after(url: new.download.url), taken)
        }
        guard !taken.contains(ExactText(name)) else { throw nameIsTaken(name) }
        return name
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
            if let name = changes.name {
                let isTaken = try transaction.feeds.names().contains(ExactText(name))
                guard name.isExactly(feed.name) || !isTaken else { throw Self.nameIsTaken(name) }
                // From now on, the title does not matter.
                (feed.name, feed.request.name) = (name, name)
            }
            if let rules = changes.rules { feed.request.rules = feed.rules.merging(rules) }
            if let label = changes.label {
                feed.request.download.label = label.isEmpty ? nil : label
            }
            if let session = changes.session {
                let owner = changes.url == nil ? feed.owner : authority.owner ?? feed.owner
                try Self.setSession(of: &feed, session, for: owner, by: authority, transaction)
            }
            if let destination = changes.destination {
                try setDestination(of: &feed, destination, by: authority, rules)
            }
            if let url = changes.url {
                try Self.move(&feed, to: url, by: authority, rules, transaction)
            }
            try feed.request.check()
            feed.reschedule(isOtherFeed: changes.url != nil, at: transaction.now)
            try transaction.feeds.save(feed)
            return feed
        }
        parts.environment.feeds.send()
        return WireFeed(feed)
    }

    /// Sets the session of future downloads; an empty name removes it.
    ///
    /// `owner`: the owner of the feed after the change, who must be able to add to the session with
    /// each check.
    private static func setSession(
        of feed: inout FeedTable.Row,
        _ session: String,
        for owner: DownloadOwner,
        by authority: Authority,
        _ transaction: StoreTransaction
    ) throws {
        guard !session.isEmpty else { return feed.request.download.session = nil }
        for each in [authority, owner.authority] {
            try QueueAccess.check(.addToSession, session, by: each, transaction)
        }
        feed.request.download.session = session
    }

    /// Changes the folder of future downloads; a relative path is in the folder of the label.
    ///
    /// A client over TCP may neither take a feed out of a folder that is not allowed, nor move it
    /// into one.
    private func setDestination(
        of feed: inout FeedTable.Row,
        _ destination: String,
        by authority: Authority,
        _ rules: NetworkRules
    ) throws(DownloadError) {
        var download = feed.request.download
        if try AccessRules.check(.rename, by: authority, owner: feed.owner) {
            _ = try QueueAccess.root(of: download.destination, rules)
        }
        download.destination = destination
        download.destination = try parts.labels.completed(download).destination
        // A feed that is confined stays so, whoever changes it.
        if download.confinedTo != nil { download.isConfined = true }
        feed.request.download = try QueueAccess.admitted([download], by: authority, rules)[0]
    }

    /// With another URL, the feed counts as added by this authority, now.
    private static func move(
        _ feed: inout FeedTable.Row,
        to url: String,
        by authority: Authority,
        _ rules: NetworkRules,
        _ transaction: StoreTransaction
    ) throws {
        try AccessRules.check(.readdress, by: authority, owner: feed.owner)
        if let session = feed.request.download.session {
            try QueueAccess.check(.addToSession, session, by: authority, transaction)
        }
        let before = feed
        try feed.move(to: url)
        feed.rename(since: before, try transaction.feeds.names())
        let download = feed.request.download
        feed.request.download = try QueueAccess.admitted([download], by: authority, rules)[0]
        feed.owner = authority.owner ?? feed.owner
    }

    /// Removes a feed; its downloads stay, and its items are forgotten when the removal can no
    /// longer be undone.
    func remove(_ id: Int64, by authority: Authority) throws(DownloadError) {
        try store.writeInAnyCase { transaction in
            // A feed that cannot be decoded can still be removed.
            guard let owner = try transaction.feeds.owner(of: id) else {
                throw DownloadError.noFeed(id)
            }
            try AccessRules.check(.remove, by: authority, owner: owner)
            try transaction.removed.keep(
                feed: id,
                removal: try transaction.removed.nextNumber(),
                by: authority.owner ?? .user,
                at: transaction.now
            )
            try transaction.feeds.delete(id)
        }
        undo.removed(at: Date())
        // The loop of the queue forgets the feed in time.
        parts.environment.work.send()
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
        guard let feed = try transaction.feeds.find(id) else {
            let exists = try transaction.feeds.owner(of: id) != nil
            throw exists ? DownloadError.unreadableFeed(id) : DownloadError.noFeed(id)
        }
        try AccessRules.check(demand, by: authority, owner: feed.owner)
        return feed
    }
}

extension FeedTable.Row {
    /// Uses another URL; the secrets for the old one are dropped if its server is another one.
    ///
    /// Throws `.usage` for a URL that is not valid.
    fileprivate mutating func move(to url: String) throws(DownloadError) {
        let old = Origin(try SourceURL.parse(request.download.url).url)
        let new = Origin(try SourceURL.parse(url).url)
        // All items of another server are unknown: only the newest of them are added.
        if old == nil || old != new { (state.isKnown, state.title) = (false, nil) }
        try request.download.change(url: url, settings: SettingsDocument())
        state.avoidsPrivateAddresses = nil
        (state.entityTag, state.lastModified) = (nil, nil)
        (state.failures, state.problem) = (0, nil)
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
        (label, session) = (download.label, download.session)
        (title, nextCheck, added) = (row.state.title, row.nextCheck, row.state.added)
        (checkedAt, problem) = (row.state.checkedAt, row.state.problem)
        failures = row.state.failures > 0 ? row.state.failures : nil
    }
    /// A feed that cannot be decoded: it is shown so that it can be removed.
    init(_ row: FeedTable.Unreadable) {
        self.init(
            id: row.id,
            name: row.name,
            url: "",
            destination: "",
            owner: row.owner,
            createdAt: row.createdAt
        )
        rules.everySeconds = 0
        problem = Problem(.unreadableFeed(row.id))
    }
}
