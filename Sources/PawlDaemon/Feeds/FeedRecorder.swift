internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Records the checks of feeds, in several short transactions.
///
/// A daemon that is killed between two of them makes the check again, and then finds the items that
/// are not recorded yet.
struct FeedRecorder {
    let parts: QueueParts
    let adder: DownloadAdder

    private var store: any QueueStore { parts.environment.store }

    /// Returns the download that each item becomes, with the URL of the feed.
    func template(
        for feed: FeedTable.Row,
        _ reading: FeedReading
    ) throws(DownloadError) -> NewDownload {
        var template = try parts.labels.completed(feed.request.download)
        if template.confinedTo != nil {
            // The folder may no longer be allowed, or may lead elsewhere.
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
        if feed.avoidsPrivateAddresses(after: reading) { template.avoidsPrivateAddresses = true }
        return template
    }

    /// Adds some of the new downloads, and records their items; returns the ids.
    ///
    /// - Parameter asked: The feed as it was when it was requested.
    /// - Returns: `nil` if the feed was removed, or is another one now.
    func record(
        _ batch: FeedFindings.Batch,
        of asked: FeedTable.Row
    ) throws(DownloadError) -> [Int64]? {
        let recorded = try adder.add(batch.downloads) { (transaction, downloads) -> Bool? in
            guard var feed = try find(asked, transaction) else { return nil }
            let hasLostSession = try dropSession(of: &feed, transaction)
            // The feed may have been removed while its items were read, and restored since.
            let known = try transaction.feeds.known(batch.added, of: feed.id)
            downloads = zip(batch.added, downloads).filter { !known.contains($0.0) }.map(\.1)
            for index in downloads.indices {
                try downloads[index].setSession(feed.request.download.session)
            }
            feed.state.added += downloads.count
            try transaction.feeds.see(batch.added + batch.seen, of: feed.id, at: transaction.now)
            try transaction.feeds.forget(batch.forgotten, of: feed.id)
            if hasLostSession || !downloads.isEmpty { try transaction.feeds.save(feed) }
            return hasLostSession
        }
        guard let (hasLostSession, outcome) = recorded else { return nil }
        if hasLostSession { reportSession(of: asked) }
        return outcome.downloads.map(\.id)
    }

    /// Records the end of a check whose items are recorded.
    ///
    /// - Parameter ids: The downloads that were added.
    func finish(
        _ findings: FeedFindings,
        of asked: FeedTable.Row,
        jitter: Double
    ) throws(DownloadError) -> WireFeed {
        let recorded = try store.writeWithRoom { (transaction) -> (FeedTable.Row, Bool)? in
            guard var feed = try find(asked, transaction) else { return nil }
            let before = feed
            let hasLostSession = try dropSession(of: &feed, transaction)
            feed.learn(findings.reading, at: transaction.now)
            feed.state.problem = findings.problem.map { Problem($0) }
            feed.nextCheck = FeedSchedule.next(
                feed.rules,
                feed.state,
                after: nil,
                at: transaction.now,
                jitter: jitter
            )
            if let url = findings.reading.permanentURL { feed.follow(to: url) }
            feed.rename(since: before, try transaction.feeds.names())
            try transaction.feeds.save(feed)
            return (feed, hasLostSession)
        }
        guard let (feed, hasLostSession) = recorded else { return try abandon(asked) }
        if hasLostSession { reportSession(of: asked) }
        return WireFeed(feed)
    }

    /// Makes the next check due after a check of a feed that was changed meanwhile: what the check
    /// has found is not recorded.
    ///
    /// - Returns: The feed as it is now, with a problem that is not stored.
    func abandon(_ asked: FeedTable.Row) throws(DownloadError) -> WireFeed {
        let feed = try store.writeInAnyCase { transaction in
            guard var feed = try transaction.feeds.find(asked.id) else {
                throw DownloadError.noFeed(asked.id)
            }
            guard feed.rules.everySeconds != 0 else { return feed }
            feed.nextCheck = transaction.now
            try transaction.feeds.save(feed)
            return feed
        }
        var shown = WireFeed(feed)
        let error = Conflict.error(
            "the feed was changed while it was checked",
            advice: "check it again"
        )
        (shown.problem, shown.failures) = (Problem(error), nil)
        return shown
    }

    /// Records a check that has failed.
    func fail(
        _ error: DownloadError,
        of asked: FeedTable.Row,
        jitter: Double
    ) throws(DownloadError) -> WireFeed {
        let recorded = try store.writeInAnyCase { (transaction) -> FeedTable.Row? in
            guard var feed = try find(asked, transaction) else { return nil }
            feed.state.checkedAt = transaction.now
            feed.state.failures += 1
            feed.state.problem = Problem(error)
            feed.nextCheck = FeedSchedule.next(
                feed.rules,
                feed.state,
                after: error,
                at: transaction.now,
                jitter: jitter
            )
            try transaction.feeds.save(feed)
            return feed
        }
        guard let feed = recorded else { return try abandon(asked) }
        return WireFeed(feed)
    }

    /// Returns a feed as it is now; `nil` if it was removed, if what was read is of another feed, or
    /// if its folder or label was changed: the next check then adds the items.
    private func find(
        _ asked: FeedTable.Row,
        _ transaction: StoreTransaction
    ) throws -> FeedTable.Row? {
        guard let feed = try transaction.feeds.find(asked.id),
            feed.request.download.url.isExactly(asked.request.download.url),
            feed.owner == asked.owner, feed.addsSame(as: asked)
        else { return nil }
        return feed
    }

    // MARK: - Sessions

    /// Takes a feed out of a session to which its owner may not add; returns whether it did.
    ///
    /// Somebody else may have registered the session since the feed was added.
    private func dropSession(
        of feed: inout FeedTable.Row,
        _ transaction: StoreTransaction
    ) throws -> Bool {
        guard let session = feed.request.download.session else { return false }
        let decision = AccessRules.decision(
            on: .addToSession,
            by: feed.owner.authority,
            owner: try transaction.sessions.owner(of: session) ?? .user
        )
        guard decision == .refused else { return false }
        feed.request.download.session = nil
        return true
    }

    private func reportSession(of feed: FeedTable.Row) {
        parts.environment.logger.warning(
            "feed \(feed.id) (\(feed.name.sanitized)): its session belongs to somebody else now, so its downloads belong to no session"
        )
    }
}

extension DownloadOwner {
    /// The authority that could add a feed for this owner.
    var authority: Authority {
        switch self {
        case .user: .user
        case .page: .page
        case .token(let name): .token(name, .manage)
        }
    }
}

extension FeedTable.Row {
    /// Whether an item becomes the same download in both, except for the session.
    fileprivate func addsSame(as other: FeedTable.Row) -> Bool {
        var (own, others) = (request.download, other.request.download)
        (own.session, others.session) = (nil, nil)
        return own == others
    }

    /// Whether the items may not be on private addresses.
    ///
    /// Once a public server has sent the feed, it never counts as private.
    fileprivate func avoidsPrivateAddresses(after reading: FeedReading) -> Bool {
        !reading.isPrivate || state.avoidsPrivateAddresses == true
    }

    /// Takes over what a request has returned.
    fileprivate mutating func learn(_ reading: FeedReading, at now: Date) {
        state.checkedAt = now
        (state.failures, state.problem) = (0, nil)
        state.avoidsPrivateAddresses = avoidsPrivateAddresses(after: reading)
        // A 304 need not repeat them (RFC 9110 §15.4.5).
        guard let document = reading.document else { return }
        (state.entityTag, state.lastModified) = (reading.entityTag, reading.lastModified)
        state.title = document.title.isEmpty ? nil : document.title.sanitized
        state.updateSeconds = document.updateInterval?.components.seconds
        state.isKnown = true
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
}
