internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The tasks of the running downloads; any thread may read them.
final class RunningDownloads: Sendable {
    private struct Entry: Sendable {
        var task: DownloadTask
        var session: String?
        /// The groups whose rate limits it shares.
        var groups: [LimitGroup]
        /// The row at the start of the run, which is used until the task knows the partial file.
        var before: WireDownload
        /// The folder that the download must not leave, held open; `nil` if it is not confined.
        var folder: ConfinedFolder?
        let startTime = ContinuousClock.now

        var progress: DownloadProgress {
            // First, because the partial file may become known before the progress is read.
            let knowsFile = task.targetPath != nil
            return known(task.currentProgress, knowsFile: knowsFile)
        }

        /// Returns the progress; before the task knows the partial file, at least that of the row.
        private func known(_ progress: DownloadProgress, knowsFile: Bool) -> DownloadProgress {
            var progress = progress
            guard !knowsFile else { return progress }
            progress.completedBytes = max(progress.completedBytes, before.completedBytes)
            progress.totalBytes = progress.totalBytes ?? before.totalBytes
            return progress
        }

        var row: WireProgress.Row {
            let knowsFile = task.targetPath != nil
            var reading = task.runReading
            reading.progress = known(reading.progress, knowsFile: knowsFile)
            let progress = reading.progress
            var row = WireProgress.Row(
                id: before.id,
                name: progress.name,
                completedBytes: progress.completedBytes
            )
            row.totalBytes = progress.totalBytes
            row.bytesPerSecond = Int64(exactly: progress.bytesPerSecond.rounded()) ?? 0
            row.connections = progress.connections
            row.resumedBytes = reading.continuedBytes
            row.restarts = reading.restarts > 0 ? reading.restarts : nil
            row.restartReason = reading.restartReason?.rawValue
            row.isUnconfirmed = reading.isUnconfirmed ? true : nil
            return row
        }
    }

    private struct State {
        var entries: [Int64: Entry] = [:]
        /// The limits of the groups that have a running download.
        var clocks: [LimitGroup: RateLimitClock] = [:]
        /// The bytes that ended runs received.
        var endedBytes: Int64 = 0
        /// What is known of the runs on other nodes.
        var others = OtherRuns()

        /// Forgets the clocks of groups that no running download shares.
        ///
        /// Nobody changes the limit of such a group, so that the next download would run with an old
        /// one.
        mutating func forgetUnusedClocks() {
            guard !clocks.isEmpty else { return }
            let used = Set(entries.values.flatMap(\.groups))
            clocks = clocks.filter { used.contains($0.key) }
        }

        /// Returns the clocks of groups.
        mutating func share(
            _ groups: [LimitGroup],
            _ limits: [LimitGroup: Int64]
        ) -> [RateLimitClock] {
            groups.map { group in
                let clock =
                    clocks[group] ?? RateLimitClock(limitBytesPerSecond: limits[group])
                clocks[group] = clock
                return clock
            }
        }
    }

    /// The runs on other nodes, as far as somebody reads their progress here.
    private struct OtherRuns {
        /// Whether other nodes may run downloads of the queue.
        var mayExist = false
        var rows: [Int64: ProgressTable.Row] = [:]
        /// When the progress of another run was needed last.
        var neededAt: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    subscript(id: Int64) -> DownloadTask? { state.withLock { $0.entries[id]?.task } }

    /// Adds a task that is about to run.
    ///
    /// It shares the rate limits of its groups, even if they have none yet.
    func add(
        _ row: WireDownload,
        _ task: DownloadTask,
        limits: [LimitGroup: Int64],
        folder: ConfinedFolder?
    ) {
        let entry = Entry(
            task: task,
            session: row.session,
            groups: row.limitGroups,
            before: row,
            folder: folder
        )
        let clocks = state.withLock { state in
            state.entries[row.id] = entry
            return state.share(entry.groups, limits)
        }
        task.setGroupLimits(clocks)
    }

    /// Puts a running download into the groups that its row has now.
    func regroup(_ row: WireDownload, limits: [LimitGroup: Int64]) {
        let (task, clocks): (DownloadTask?, [RateLimitClock]) = state.withLock { state in
            guard let task = state.entries[row.id]?.task else { return (nil, []) }
            state.entries[row.id]?.groups = row.limitGroups
            state.forgetUnusedClocks()
            return (task, state.share(row.limitGroups, limits))
        }
        task?.setGroupLimits(clocks)
    }

    /// Sets the rate limit that the downloads of a group share; `nil` means no limit.
    func setLimit(bytesPerSecond limit: Int64?, of group: LimitGroup) {
        let (clock, tasks) = state.withLock { state in
            (
                state.clocks[group],
                state.entries.values.filter { $0.groups.contains(group) }.map(\.task)
            )
        }
        guard let clock else { return }
        for task in tasks { task.setLimit(bytesPerSecond: limit, of: clock) }
    }

    /// The folder that a running download must not leave, held open; `nil` if it is not confined.
    func folder(of id: Int64) -> ConfinedFolder? { state.withLock { $0.entries[id]?.folder } }

    /// The downloads that must not leave a folder, because they were added or changed over TCP.
    var confined: [Int64] {
        state.withLock { $0.entries.filter { $0.value.folder != nil }.map(\.key) }
    }

    /// Returns the row with the progress of its task, as it remains if the run is stopped now.
    func latest(_ download: WireDownload) -> WireDownload {
        guard let entry = state.withLock({ $0.entries[download.id] }) else { return download }
        let progress = entry.progress
        var latest = download
        latest.completedBytes = progress.completedBytes
        latest.totalBytes = progress.totalBytes ?? latest.totalBytes
        latest.response = entry.task.response.map { WireResponse($0) } ?? latest.response
        return latest
    }

    /// The path that the file gets, as the user knows it; `nil` before it is known.
    func path(of id: Int64) -> String? {
        let entry = state.withLock { $0.entries[id] }
        guard let path = entry?.task.targetPath else { return nil }
        return entry?.folder?.shown(path) ?? path
    }

    /// The partial file, with the path that the user knows; `nil` before it exists.
    func partialFile(of id: Int64) -> WrittenFile? {
        let entry = state.withLock { $0.entries[id] }
        guard var file = entry?.task.partialFile else { return nil }
        if let folder = entry?.folder { file.path = folder.shown(file.path) }
        return file
    }

    func startTime(of id: Int64) -> ContinuousClock.Instant? {
        state.withLock { $0.entries[id]?.startTime }
    }

    /// Removes a run that has ended.
    func ended(_ id: Int64, _ task: DownloadTask) {
        state.withLock { state in
            state.entries[id] = nil
            state.forgetUnusedClocks()
            state.endedBytes += task.receivedBytes
        }
    }

    var all: [Int64: DownloadTask] { state.withLock { $0.entries.mapValues(\.task) } }
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// Returns the rows with the current progress of their tasks.
    func overlay(_ downloads: [WireDownload]) -> [WireDownload] {
        let (entries, others) = state.withLock { ($0.entries, $0.others) }
        guard !entries.isEmpty || others.mayExist else { return downloads }
        var isNeeded = false
        let overlaid = downloads.map { download in
            guard download.state == .running else { return download }
            if let entry = entries[download.id] { return Self.overlay(download, entry) }
            isNeeded = true
            var download = download
            if let row = others.rows[download.id] { download.take(row.progress) }
            return download
        }
        if isNeeded { state.withLock { $0.others.neededAt = .now } }
        return overlaid
    }

    private static func overlay(_ download: WireDownload, _ entry: Entry) -> WireDownload {
        var download = download
        download.take(entry.row)
        download.add(entry.task.metrics)
        if entry.task.state == .waitingForConnectivity { download.state = .waitingForConnectivity }
        return download
    }

    /// Returns the segments of a running download; `nil` if it does not run.
    func segments(of download: WireDownload) -> WireSegments? {
        guard let task = self[download.id] else { return nil }
        return WireSegments(overlay([download])[0], task.segmentMap)
    }

    /// The total speed in bytes per second.
    var bytesPerSecond: Int64 { rows.map(\.row.bytesPerSecond).reduce(0, +) }

    var connections: Int { rows.map(\.row.connections).reduce(0, +) }

    /// The bytes that all runs have received, including those that have ended: the number never
    /// falls.
    var receivedBytes: Int64 {
        state.withLock { state in
            state.entries.values.map(\.task.receivedBytes).reduce(state.endedBytes, +)
        }
    }

    /// Returns the progress events of each session, and of all downloads for `nil`.
    func progress(for sessions: Set<ExactText?>) -> [ExactText?: [UInt8]] {
        let rows = (self.rows + rowsOfOthers).sorted { $0.row.id < $1.row.id }
        var events: [ExactText?: [UInt8]] = [:]
        for session in sessions {
            let own = rows.filter { row in
                session.map { row.session?.isExactly($0.text) == true } ?? true
            }
            // Encoding integers and texts cannot fail.
            guard !own.isEmpty, let json = try? WireJSON.encode(WireProgress(own.map(\.row)))
            else { continue }
            let text = String(decoding: json, as: UTF8.self)
            events[session] = ServerSentEvent(name: WireProgress.eventName, data: text).bytes
        }
        return events
    }

    // MARK: - Other nodes

    /// Lets ``overlay(_:)`` note which progress of other nodes it needs.
    func shareProgress() { state.withLock { $0.others.mayExist = true } }

    /// Whether the progress of runs on other nodes was needed a moment ago.
    var needsProgressOfOthers: Bool {
        let at = state.withLock { $0.others.neededAt }
        return at.map { ContinuousClock.now - $0 < .seconds(ProgressTable.readingTime) } ?? false
    }

    /// The progress of all running downloads, as other nodes get it.
    var progressForOthers: [ProgressTable.Row] {
        rows.map { ProgressTable.Row(session: $0.session, $0.row) }
    }

    func setProgressOfOthers(_ rows: [ProgressTable.Row]) {
        let byDownload = Dictionary(
            rows.map { ($0.progress.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        state.withLock { $0.others.rows = byDownload }
    }

    private var rowsOfOthers: [(session: String?, row: WireProgress.Row)] {
        state.withLock { state in
            state.others.rows.values.filter { state.entries[$0.progress.id] == nil }
                .map { ($0.session, $0.progress) }
        }
    }

    /// The progress of all downloads that run here, by id.
    private var rows: [(session: String?, row: WireProgress.Row)] {
        let entries = state.withLock { $0.entries }
        return entries.sorted { $0.key < $1.key }.map { ($1.session, $1.row) }
    }
}

extension WireDownload {
    /// Adds the metrics of another run.
    mutating func add(_ metrics: TaskMetrics) {
        self.metrics = self.metrics?.adding(metrics) ?? metrics
    }
}
