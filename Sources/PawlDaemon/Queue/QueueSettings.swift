internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The settings that apply to the whole queue, and change while downloads run.
final class QueueSettings {
    private let environment: QueueEnvironment
    private let waiting: WaitingDownloads
    private let control: RunControl
    private let listener: NetworkListener
    private let aria2Listener: NetworkListener
    /// The settings as they are stored.
    ///
    /// Visible to the parts of the queue that apply the settings.
    private(set) var current: DaemonSettings
    private var isLimitApplied = false
    /// The time at which the timetable must be checked again; `nil` if there is no timetable.
    ///
    /// Visible to the queue, which waits until then.
    private(set) var nextTimetableCheck: Date?

    init(
        _ initial: InitialQueue,
        _ environment: QueueEnvironment,
        _ waiting: WaitingDownloads,
        _ control: RunControl
    ) {
        (current, listener) = (initial.settings, initial.listener)
        aria2Listener = initial.aria2Listener
        (self.environment, self.waiting, self.control) = (environment, waiting, control)
        environment.counters.setMaximumConcurrentDownloads(waiting.limit)
        listener.proxies.set(ProxyRules(current))
    }

    /// The settings as a client may see them: only the user sees those that may be secret.
    func shown(to authority: Authority) -> DaemonSettings {
        authority == .user ? shown : shown.withoutSecrets
    }

    /// The settings with their defaults, and the rate limit of this moment.
    private var shown: DaemonSettings {
        var shown = current
        shown.maximumConcurrentDownloads = waiting.limit
        shown.allowedFolders =
            current.allowedFolders ?? ConfinedFolder.downloads.map { [$0] } ?? []
        shown.current = WireCurrentLimit(limit(at: Date()))
        return shown
    }

    var networkRules: NetworkRules { NetworkRules(folders: shown.allowedFolders ?? []) }

    /// Changes settings; returns all settings as they are shown.
    ///
    /// - Throws: `.notAllowed`, and `.usage` for an invalid value.
    func change(
        _ change: DaemonSettingsChange,
        by authority: Authority
    ) throws(DownloadError) -> DaemonSettings {
        try AccessRules.check(.changeSettings, by: authority)
        if change.concernsBounds { try AccessRules.check(.changeBounds, by: authority) }
        guard !change.isEmpty else {
            throw .usage("no setting is given", advice: "see /openapi.yaml, or docs/http-api.md")
        }
        var new = try change.settings(over: current)
        // A certificate that is given without a key has it in its own file.
        if change[\.tlsCertificate] != nil, change[\.tlsKey] == nil { new.tlsKey = nil }
        if change[\.allowedFolders] != nil {
            for folder in new.allowedFolders ?? [] { try Self.checkExists(folder) }
        }
        let needsCertificate = change.needsCertificate(new)
        let tls = needsCertificate ? try CurrentTLS.load(new) : nil
        let sockets = try openSockets(new, change)
        let committed: Committed<DaemonSettings>
        do throws(DownloadError) {
            committed = try write(new, change)
        } catch {
            for socket in sockets { socket.prepared.close() }
            throw error
        }
        new = committed.value
        // The certificate first: a socket that other machines can reach is not served without one.
        if needsCertificate { listener.tls?.set(tls) }
        for socket in sockets { socket.listener.adopt(socket.prepared) }
        let old = current
        current = new
        let isLimitGiven = change[\.maximumConcurrentDownloads] != nil
        if isLimitGiven || new.maximumConcurrentDownloads != old.maximumConcurrentDownloads {
            apply(new.maximumConcurrentDownloads)
        }
        apply(from: old)
        environment.notifier.published(committed.lastEvent)
        environment.work.send()
        return shown(to: authority)
    }

    private typealias OpenSocket = (
        listener: NetworkListener, prepared: NetworkListener.Prepared
    )

    /// Opens a socket for each address that the change gives, and that of a listener that could not
    /// use its certificate.
    private func openSockets(
        _ new: DaemonSettings,
        _ change: DaemonSettingsChange
    ) throws(DownloadError) -> [OpenSocket] {
        var sockets: [OpenSocket] = []
        if change[\.listen] != nil || change.changesCertificate && listener.socket == nil {
            sockets.append((listener, try listener.open(new.listenAddress)))
        }
        // At the start of the daemon, an address from the settings may be taken.
        let failedBefore = aria2Listener.socket == nil && aria2Listener.problem != nil
        guard change[\.aria2Listen] != nil || change.changesCertificate && failedBefore else {
            return sockets
        }
        do throws(DownloadError) {
            sockets.append((aria2Listener, try aria2Listener.open(new.aria2Address)))
        } catch {
            for socket in sockets { socket.prepared.close() }
            throw error
        }
        return sockets
    }

    /// Returns the settings as an event publishes them; `nil` if no event is needed.
    private func published(
        _ new: DaemonSettings,
        _ change: DaemonSettingsChange
    ) -> DaemonSettings? {
        // The listeners and their proxies concern no download, so a change of them is not published.
        var before = current
        before.takeSettingsOfMachine(from: new)
        guard new != before else { return nil }
        var published = new
        if change[\.maximumConcurrentDownloads] == nil {
            published.maximumConcurrentDownloads = waiting.limit
        }
        // The limit that applies at this moment is not a setting.
        published.current = nil
        return published.withoutSecrets
    }

    /// Writes the settings, and returns them.
    ///
    /// If another daemon has changed some of them a moment ago, those keep their values.
    private func write(
        _ new: DaemonSettings,
        _ change: DaemonSettingsChange
    ) throws(DownloadError) -> Committed<DaemonSettings> {
        try environment.store.write(for: .needsRoom) { transaction in
            var new = new
            if transaction.isShared {
                let (tls, key) = (new.tlsCertificate, new.tlsKey)
                new = try change.settings(over: try transaction.settings.settings())
                (new.tlsCertificate, new.tlsKey) = (tls, key)
            }
            try transaction.settings.set(new)
            if let event = self.published(new, change) {
                try transaction.events.append(event, at: transaction.now)
            }
            return new
        }
    }

    private func apply(_ maximumConcurrentDownloads: Int) {
        waiting.limit = maximumConcurrentDownloads
        environment.counters.setMaximumConcurrentDownloads(maximumConcurrentDownloads)
    }

    /// Applies the settings that another daemon has stored; no listener changes.
    func adopt(_ new: DaemonSettings) {
        let old = current
        guard new != old else { return }
        current = new
        // The command line of this daemon may have given another number than the settings.
        if new.maximumConcurrentDownloads != old.maximumConcurrentDownloads {
            apply(new.maximumConcurrentDownloads)
        }
        apply(from: old)
        environment.work.send()
    }

    /// Applies all settings except the maximum number of downloads.
    private func apply(from old: DaemonSettings) {
        listener.proxies.set(ProxyRules(current))
        environment.session.setLimit(connectionsPerHost: current.connectionsPerHost)
        if current.usesMeteredNetwork != old.usesMeteredNetwork {
            for id in environment.running.all.keys { control.restart(id) }
        } else if old.allowsPrivateAddresses, !current.allowsPrivateAddresses {
            // Their connections may lead to addresses that are no longer allowed.
            for id in environment.running.confined { control.restart(id) }
        }
        applyLimit(at: Date())
    }

    // MARK: - Timetable

    /// The maximum time between two checks, in seconds: the clock or its time zone may be changed.
    private static let checkInterval: Double = 60

    /// Applies the rate limit of the timetable, if a check is due.
    func checkTimetable(at now: Date) {
        let isDue =
            nextTimetableCheck.map { $0 <= now || $0.timeIntervalSince(now) > Self.checkInterval }
            ?? !isLimitApplied
        if isDue { applyLimit(at: now) }
    }

    private func applyLimit(at now: Date) {
        isLimitApplied = true
        let decision = limit(at: now)
        environment.session.setLimit(bytesPerSecond: decision.limit)
        guard !current.timetable.isEmpty else { return nextTimetableCheck = nil }
        let change = decision.changesAt.map { Date(timeIntervalSince1970: Double($0)) }
        nextTimetableCheck = min(
            change ?? .distantFuture,
            now.addingTimeInterval(Self.checkInterval)
        )
    }

    private func limit(at now: Date) -> RateLimitTimetable.Decision {
        current.rateTimetable.decision(
            at: Int64(now.timeIntervalSince1970.rounded(.down)),
            otherwise: current.limitBytesPerSecond,
            utcOffset: LocalClock.utcOffset
        )
    }

    // MARK: - Folders

    /// Without this check, the first download would create a folder whose name is misspelled.
    private static func checkExists(_ folder: String) throws(DownloadError) {
        // A file at this path causes the same error as a missing folder.
        guard !ObjectAddress.isOne(folder),
            (try? ConfinedFolder(folder, in: folder, creates: false)) == nil
        else { return }
        throw .usage(
            "there is no folder \(folder.sanitized(atMost: 200))",
            advice: "create it first, or check the spelling"
        )
    }
}

extension DaemonSettingsChange {
    /// Whether it changes what is allowed over TCP.
    fileprivate var concernsBounds: Bool {
        !keeping { !$0.entries.contains(.network) }.isEmpty
    }

    /// Whether it changes the certificate or its key.
    fileprivate var changesCertificate: Bool {
        self[\.tlsCertificate] != nil || self[\.tlsKey] != nil
    }

    /// Whether it changes the certificate or its key, or gives an address that needs them.
    ///
    /// A listener can be closed in any case, even if the files of the certificate are missing, and
    /// clients of aria2 may connect to an address of this machine without TLS.
    fileprivate func needsCertificate(_ new: DaemonSettings) -> Bool {
        if changesCertificate { return true }
        if self[\.listen] != nil, new.listenAddress != nil { return true }
        guard self[\.aria2Listen] != nil, let address = new.aria2Address else { return false }
        return !address.isLoopback
    }
}
