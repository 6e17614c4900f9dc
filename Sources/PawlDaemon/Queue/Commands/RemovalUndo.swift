internal import FoundationEssentials
internal import Logging
internal import PawlCore
internal import PawlWire

extension StoreTransaction {
    /// Records the end of a download that was removed while it ran, so that an undo does not receive
    /// everything again.
    ///
    /// `written`: the record of the file; `nil` if the file existed before. `wasMoved`: whether a rule
    /// has moved it.
    func finishRemoved(
        _ id: Int64,
        at path: String,
        size: Int64,
        _ written: WrittenFile?,
        wasMoved: Bool
    ) throws {
        try removed.update(id) { row in
            row.finish(at: path, now)
            (row.completedBytes, row.totalBytes) = (size, size)
            try renamings.set(nil, of: id)
            try downloads.setWasAlreadyThere(written == nil, of: id)
            try writtenFiles.forgetPartialFiles(of: id)
            if var written {
                written.path = path
                try writtenFiles.record(written, of: id)
            }
            try requests.forget(id)
            if wasMoved { try downloads.setConfinement(path.pathFolder, of: id) }
        }
    }
}

/// Keeps removed downloads and feeds for a while, and puts them back.
final class RemovalUndo {
    private let parts: QueueParts
    /// The date at which the oldest removal is to be forgotten; `nil` if there is none.
    ///
    /// Visible to the queue, which waits until then.
    private(set) var nextDate: Date? = .distantPast

    /// The time in seconds for which a removal can be undone.
    private static let time: Double = 60
    /// The maximum number of downloads of a removal that can be undone.
    static let mostDownloads = 10_000

    init(_ parts: QueueParts) { self.parts = parts }

    /// Handles that downloads or a feed were removed.
    func removed(at now: Date) {
        nextDate = min(nextDate ?? .distantFuture, now.addingTimeInterval(Self.time))
    }

    /// Forgets what was removed too long ago, with its secrets.
    func expire(at now: Date) {
        // The clock may have been set back.
        guard let date = nextDate, now >= date || date.timeIntervalSince(now) > Self.time else {
            return
        }
        do throws(DownloadError) {
            let oldest = try parts.environment.store.writeInAnyCase { transaction in
                try transaction.removed.expire(before: now.addingTimeInterval(-Self.time))
            }
            nextDate = oldest?.addingTimeInterval(Self.time)
        } catch {
            parts.environment.logger.warning("records of removals were not deleted: \(error)")
            nextDate = now.addingTimeInterval(Self.time)
        }
    }

    /// Forgets all removals, with their secrets, because the daemon ends and no other one has the
    /// queue.
    func forgetAll() {
        do throws(DownloadError) {
            try parts.environment.store.writeInAnyCase { transaction in
                if try !transaction.nodes.hasOthers() { try transaction.removed.forgetAll() }
            }
        } catch {
            parts.environment.logger.warning("records of removals were not deleted: \(error)")
        }
    }

    /// Puts back what the newest removal has removed: downloads, or a feed.
    ///
    /// Downloads that ran wait again if the client may resume them, and are paused otherwise; the
    /// others have the state that they had. Returns nothing if there is no removal to undo. What
    /// the client may not remove stays removed.
    ///
    /// - Throws: `.notAllowed`, and `.conflict` if there are too many feeds.
    func undo(
        by authority: Authority,
        _ rules: NetworkRules
    ) throws(DownloadError) -> WireOutcome {
        try AccessRules.check(.undo, by: authority)
        expire(at: Date())
        let committed = try parts.environment.store.write(for: .needsRoom) { transaction in
            // Another client's removal is not undone, unless the user asks for it.
            let removal = try transaction.removed.newest(of: authority.undoableRemovals)
            var rows: [WireDownload] = []
            for id in try removal.map(transaction.removed.downloads) ?? [] {
                let owner = try transaction.removed.owner(of: id) ?? .user
                guard Self.mayRestore(from: owner, authority) else { continue }
                if let row = try restore(id, by: authority, rules, transaction) { rows.append(row) }
            }
            var feeds: [WireFeed] = []
            for id in try removal.map(transaction.removed.feeds) ?? [] {
                let owner = try transaction.removed.owner(ofFeed: id) ?? .user
                guard Self.mayRestore(from: owner, authority) else { continue }
                try FeedCommands.checkRoom(try transaction.feeds.names())
                guard try transaction.removed.restore(feed: id) else { continue }
                if let feed = try transaction.feeds.shown(id) { feeds.append(feed) }
            }
            return (rows, feeds, try transaction.gids.all())
        }
        let (rows, feeds, gids) = committed.value
        var outcome = WireOutcome(downloads: rows, lastEvent: committed.lastEvent)
        outcome.feeds = feeds.isEmpty ? nil : feeds
        parts.gids.load(gids)
        for row in outcome.downloads where row.state == .waiting {
            parts.waiting.wait(parts.retries.entry(of: row))
        }
        // Its next check may be due.
        if outcome.feeds != nil { parts.environment.feeds.send() }
        parts.environment.published(outcome)
        return outcome
    }

    private static func mayRestore(from owner: DownloadOwner, _ authority: Authority) -> Bool {
        AccessRules.decision(on: .remove, by: authority, owner: owner) != .refused
    }

    /// Puts a download back into the list; returns `nil` if it is not kept.
    private func restore(
        _ id: Int64,
        by authority: Authority,
        _ rules: NetworkRules,
        _ transaction: StoreTransaction
    ) throws -> WireDownload? {
        guard var row = try transaction.removed.restore(id) else { return nil }
        if row.state.isActive {
            // Its folder may not be allowed any more.
            let mayRun = try QueueAccess.allows(
                .resume,
                for: DownloadSearch.Selected(download: row, isNamed: false),
                by: authority,
                rules,
                transaction
            )
            row.state = mayRun ? .waiting : .paused
        }
        try transaction.downloads.save(row)
        try transaction.events.append(.added, row, at: transaction.now)
        return row
    }
}
