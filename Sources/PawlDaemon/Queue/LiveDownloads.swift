internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The tasks that run, for those who look.
final class LiveDownloads: Sendable {
    private struct Entry: Sendable {
        var task: DownloadTask
        var session: String?
        /// Where it is held, if it may not leave a folder.
        var place: ConfinedFolder?
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
        _ id: Int64,
        _ task: DownloadTask,
        session: String?,
        limitBytesPerSecond limit: Int64?,
        place: ConfinedFolder?
    ) {
        if let session {
            task.groupLimit =
                tasks(of: session).lazy.compactMap(\.groupLimit).first
                ?? RateLimitClock(limitBytesPerSecond: limit)
        }
        state.withLock { $0.entries[id] = Entry(task: task, session: session, place: place) }
    }

    /// What those of a session may bring together from now on; nil is no limit.
    func setLimit(bytesPerSecond limit: Int64?, ofSession session: String) {
        for task in tasks(of: session) { task.setGroupLimit(bytesPerSecond: limit) }
    }

    private func tasks(of session: String) -> [DownloadTask] {
        state.withLock { $0.entries.values.filter { $0.session == session }.map(\.task) }
    }

    func place(of id: Int64) -> ConfinedFolder? { state.withLock { $0.entries[id]?.place } }

    /// The file that one becomes, as the user knows it; nil before that is known.
    func path(of id: Int64) -> String? {
        let entry = state.withLock { $0.entries[id] }
        guard let path = entry?.task.targetPath else { return nil }
        return entry?.place?.shown(path) ?? path
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
        let tasks = all
        guard !tasks.isEmpty else { return downloads }
        return downloads.map { download in
            guard download.state == .running, let task = tasks[download.id] else { return download }
            return Self.overlay(download, task)
        }
    }

    private static func overlay(_ download: WireDownload, _ task: DownloadTask) -> WireDownload {
        var download = download
        let progress = task.currentProgress
        download.completedBytes = max(progress.completedBytes, 0)
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
            let progress = entry.task.currentProgress
            var row = WireProgress.Row(
                id: id,
                name: progress.name,
                completedBytes: progress.completedBytes
            )
            row.totalBytes = progress.totalBytes
            row.bytesPerSecond = Int64(exactly: progress.bytesPerSecond.rounded()) ?? 0
            row.connections = progress.connections
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
