internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The tasks that run, for those who look.
final class LiveDownloads: Sendable {
    private struct Entry: Sendable {
        var task: DownloadTask
        var session: String?
        /// As it was when the run began: the task does not know yet what is there.
        var before: WireDownload
        /// Where it is held, if it may not leave a folder.
        var place: ConfinedFolder?
        let began = ContinuousClock.now

        /// How far it is.
        var progress: DownloadProgress {
            var progress = task.currentProgress
            guard task.targetPath == nil else { return progress }
            progress.completedBytes = max(progress.completedBytes, before.completedBytes)
            progress.totalBytes = progress.totalBytes ?? before.totalBytes
            return progress
        }
    }

    private struct State {
        var entries: [Int64: Entry] = [:]
        /// What the runs that have ended had brought.
        var endedBytes: Int64 = 0
    }

    private let state = Mutex(State())

    subscript(id: Int64) -> DownloadTask? { state.withLock { $0.entries[id]?.task } }

    /// Adds one that is to run; it shares the limit of its session, which may have none yet.
    func add(
        _ row: WireDownload,
        _ task: DownloadTask,
        limitBytesPerSecond limit: Int64?,
        place: ConfinedFolder?
    ) {
        if let session = row.session {
            task.groupLimit =
                tasks(of: session).lazy.compactMap(\.groupLimit).first
                ?? RateLimitClock(limitBytesPerSecond: limit)
        }
        let entry = Entry(task: task, session: row.session, before: row, place: place)
        state.withLock { $0.entries[row.id] = entry }
    }

    /// What those of a session may bring together from now on; nil is no limit.
    func setLimit(bytesPerSecond limit: Int64?, ofSession session: String) {
        for task in tasks(of: session) { task.setGroupLimit(bytesPerSecond: limit) }
    }

    private func tasks(of session: String) -> [DownloadTask] {
        state.withLock { $0.entries.values.filter { $0.session == session }.map(\.task) }
    }

    func place(of id: Int64) -> ConfinedFolder? { state.withLock { $0.entries[id]?.place } }

    /// A row as its task leaves it if it is ended now; unchanged if it does not run.
    func latest(_ download: WireDownload) -> WireDownload {
        guard let entry = state.withLock({ $0.entries[download.id] }) else { return download }
        let progress = entry.progress
        var latest = download
        latest.completedBytes = progress.completedBytes
        latest.totalBytes = progress.totalBytes ?? latest.totalBytes
        latest.response = entry.task.response.map { WireResponse($0) } ?? latest.response
        return latest
    }

    /// The file that one becomes, as the user knows it; nil before that is known.
    func path(of id: Int64) -> String? {
        let entry = state.withLock { $0.entries[id] }
        guard let path = entry?.task.targetPath else { return nil }
        return entry?.place?.shown(path) ?? path
    }

    /// The partial file of one, as the user knows it; nil before there is one.
    func partialFile(of id: Int64) -> WrittenFile? {
        let entry = state.withLock { $0.entries[id] }
        guard var file = entry?.task.partialFile else { return nil }
        if let place = entry?.place { file.path = place.shown(file.path) }
        return file
    }

    /// When its run began.
    func beginning(of id: Int64) -> ContinuousClock.Instant? {
        state.withLock { $0.entries[id]?.began }
    }

    /// A run has ended.
    func ended(_ id: Int64, _ task: DownloadTask) {
        state.withLock { state in
            state.entries[id] = nil
            state.endedBytes += task.receivedBytes
        }
    }

    var all: [Int64: DownloadTask] { state.withLock { $0.entries.mapValues(\.task) } }
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// The rows with what the tasks say at this moment.
    func overlay(_ downloads: [WireDownload]) -> [WireDownload] {
        let entries = state.withLock { $0.entries }
        guard !entries.isEmpty else { return downloads }
        return downloads.map { download in
            guard download.state == .running, let entry = entries[download.id] else {
                return download
            }
            return Self.overlay(download, entry)
        }
    }

    private static func overlay(_ download: WireDownload, _ entry: Entry) -> WireDownload {
        var download = download
        let (task, progress) = (entry.task, entry.progress)
        download.completedBytes = progress.completedBytes
        download.totalBytes = progress.totalBytes ?? download.totalBytes
        download.bytesPerSecond = Int64(exactly: progress.bytesPerSecond.rounded()) ?? 0
        download.connections = progress.connections
        if !progress.name.isEmpty { download.name = progress.name }
        download.add(task.metrics)
        if task.state == .waitingForConnectivity { download.state = .waitingForConnectivity }
        return download
    }

    /// What the connections of one are doing, as it is told; nil where it does not run.
    func segments(of download: WireDownload) -> WireSegments? {
        guard let task = self[download.id] else { return nil }
        return WireSegments(overlay([download])[0], task.segmentMap)
    }

    /// How fast all of them are together, in bytes a second.
    var bytesPerSecond: Int64 { rows.map(\.row.bytesPerSecond).reduce(0, +) }

    var connections: Int { rows.map(\.row.connections).reduce(0, +) }

    /// What all runs have brought, those that have ended, too: it never falls.
    var receivedBytes: Int64 {
        state.withLock { state in
            state.entries.values.map(\.task.receivedBytes).reduce(state.endedBytes, +)
        }
    }

    /// How far they are, as it is sent: of each session, nil of all.
    func progress(for sessions: Set<String?>) -> [String?: [UInt8]] {
        let rows = rows
        var events: [String?: [UInt8]] = [:]
        for session in sessions {
            let own = session == nil ? rows : rows.filter { $0.session == session }
            // Whole numbers and texts can be written.
            guard !own.isEmpty, let json = try? WireJSON.encode(WireProgress(own.map(\.row)))
            else { continue }
            let text = String(decoding: json, as: UTF8.self)
            events[session] = ServerSentEvent(name: WireProgress.eventName, data: text).bytes
        }
        return events
    }

    /// By id.
    private var rows: [(session: String?, row: WireProgress.Row)] {
        let entries = state.withLock { $0.entries }
        return entries.sorted { $0.key < $1.key }.map { id, entry in
            let progress = entry.progress
            var row = WireProgress.Row(
                id: id,
                name: progress.name,
                completedBytes: progress.completedBytes
            )
            row.totalBytes = progress.totalBytes
            row.bytesPerSecond = Int64(exactly: progress.bytesPerSecond.rounded()) ?? 0
            row.connections = progress.connections
            row.resumedBytes = entry.task.continuedBytes
            let restarts = entry.task.restartCount
            row.restarts = restarts > 0 ? restarts : nil
            return (entry.session, row)
        }
    }
}

extension WireDownload {
    /// One more run took that.
    mutating func add(_ metrics: TaskMetrics) {
        let later = WireMetrics(metrics)
        self.metrics = self.metrics?.adding(later) ?? later
    }
}
