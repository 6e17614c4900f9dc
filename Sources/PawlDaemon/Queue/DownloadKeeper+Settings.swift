internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// What holds for the whole queue, and changes while downloads run.
extension DownloadKeeper {
    /// With the defaults, and what holds at this moment.
    var shownSettings: DaemonSettings {
        var shown = settings
        shown.maximumConcurrentDownloads = scheduler.limit
        shown.allowedFolders =
            settings.allowedFolders ?? ConfinedFolder.downloads.map { [$0] } ?? []
        shown.current = WireCurrentLimit(limit(at: Date()))
        return shown
    }

    var networkRules: NetworkRules { NetworkRules(folders: shownSettings.allowedFolders ?? []) }

    /// - Throws: `.notAllowed`, and `.usage` for what cannot be.
    func change(
        _ change: DaemonSettingsChange,
        by authority: Authority
    ) throws(DownloadError) -> DaemonSettings {
        try AccessRules.check(.changeSettings, by: authority)
        if change.concernsBounds { try AccessRules.check(.changeBounds, by: authority) }
        guard !change.isEmpty else {
            throw DownloadError(
                .usage,
                "nothing is to be changed",
                advice: "see /openapi.json, or docs/http-api.md"
            )
        }
        try change.checkMembers()
        let new = try change.settings(over: settings)
        if change[\.allowedFolders] != nil {
            for folder in new.allowedFolders ?? [] { try Self.checkIsThere(folder) }
        }
        let door = try change[\.listen].map { (_) throws(DownloadError) in
            try listener.open(new.listenAddress)
        }
        var told = new
        if change[\.maximumConcurrentDownloads] == nil {
            told.maximumConcurrentDownloads = scheduler.limit
        }
        // What holds by the clock is no change.
        told.current = nil
        // Where the daemon listens concerns no download: it is not told of.
        var before = settings
        before.listen = new.listen
        let isTold = new != before
        let last: Int64
        do throws(DownloadError) {
            last = try store.writeWithRoom { transaction in
                try transaction.setSettings(new)
                if isTold { try transaction.append(told, at: Date()) }
                return try transaction.lastEvent()
            }
        } catch {
            door?.close()
            throw error
        }
        if let door { listener.adopt(door) }
        let old = settings
        settings = new
        follow(change, from: old)
        news.published(last)
        bell.ring()
        return shownSettings
    }

    private func follow(_ change: DaemonSettingsChange, from old: DaemonSettings) {
        if let limit = change[\.maximumConcurrentDownloads] {
            scheduler.limit = limit
            atATime.store(limit, ordering: .relaxed)
        }
        session.setLimit(connectionsPerHost: settings.connectionsPerHost)
        if settings.usesMeteredNetwork != old.usesMeteredNetwork {
            for id in live.all.keys { restart(id) }
        }
        applyLimit(at: Date())
    }

    // MARK: - By the clock

    /// The clock may be set, and its zone changed: it is looked at often enough to notice.
    private static let limitLook: Double = 60

    /// Does what the timetable says, where it is time for that.
    func keepTimetable(at now: Date) {
        let isDue =
            nextLimitLook.map { $0 <= now || $0.timeIntervalSince(now) > Self.limitLook }
            ?? !isLimitApplied
        if isDue { applyLimit(at: now) }
    }

    private func applyLimit(at now: Date) {
        isLimitApplied = true
        let decision = limit(at: now)
        session.setLimit(bytesPerSecond: decision.limit)
        guard !settings.timetable.isEmpty else { return nextLimitLook = nil }
        let change = decision.changesAt.map { Date(timeIntervalSince1970: Double($0)) }
        nextLimitLook = min(change ?? .distantFuture, now.addingTimeInterval(Self.limitLook))
    }

    private func limit(at now: Date) -> RateLimitTimetable.Decision {
        settings.rateTimetable.decision(
            at: Int64(now.timeIntervalSince1970.rounded(.down)),
            otherwise: settings.limitBytesPerSecond,
            utcOffset: LocalClock.utcOffset
        )
    }

    // MARK: - Health

    /// Throws where the queue cannot be written.
    ///
    /// Where nothing was written for a while, that is tried: who asks often does not wear the disk out.
    func checkHealth() throws(DownloadError) {
        try store.checkRoom()
        let now = ContinuousClock.now
        let isFresh = healthSeen.map { now - $0 < Self.healthLook } ?? false
        guard !isFresh || store.lastWriteFailure != nil else { return }
        try store.checkWrites(at: Date())
        healthSeen = now
    }

    private static let healthLook: Duration = .seconds(5)

    // MARK: - Folders

    /// One that was mistyped would be made by the first download that goes there.
    private static func checkIsThere(_ folder: String) throws(DownloadError) {
        // A file has the same answer as nothing.
        guard (try? ConfinedFolder(folder, in: folder, creates: false)) == nil else { return }
        throw DownloadError(
            .usage,
            "there is no folder \(folder.sanitized(atMost: 200))",
            advice: "create it first, or check the spelling"
        )
    }

    /// Only a help where the store is damaged one day: that it cannot be written keeps nothing back.
    func noteFolders(_ destinations: [String]) {
        do throws(DownloadError) {
            try folders.note(destinations)
        } catch {
            logger.warning("the folders of downloads were not noted: \(error)")
        }
    }
}

extension DaemonSettingsChange {
    /// Whether it concerns what may be done over TCP.
    fileprivate var concernsBounds: Bool {
        !keeping { !$0.entries.contains(.network) }.isEmpty
    }
}
