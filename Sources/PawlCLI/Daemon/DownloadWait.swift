internal import Pawl
internal import PawlCore
internal import PawlWire

/// Waits for downloads of the daemon and shows their progress.
struct DownloadWait {
    private let client: DaemonClient
    private let console: Console
    /// Neither ends nor failures are reported: the caller shows the result.
    private let isSilent: Bool
    private var display: any ProgressDisplay
    private let clock = SystemTimekeeper()
    /// Those that are waited for, as they were last heard of; one that was removed is left out.
    private var known: [Int64: WireDownload] = [:]
    /// Those that have neither ended nor are paused.
    private var open: Set<Int64> = []
    private var reported: Set<Int64> = []

    init(_ client: DaemonClient, _ display: any ProgressDisplay, _ console: Console, isSilent: Bool)
    {
        (self.client, self.console) = (client, console)
        (self.display, self.isSilent) = (display, isSilent)
    }

    /// Returns those that were meant when it began, by id, as they are when the last one has ended or
    /// is paused.
    mutating func run(_ selection: Selection) async throws(DownloadError) -> [WireDownload] {
        // The event's number first: the stream continues behind it.
        let last = try await client.status().lastEvent
        for row in try await client.selected(selection) { known[row.id] = row }
        for row in sorted { look(at: row) }
        if !open.isEmpty { try await follow(after: last) }
        display.close()
        for row in sorted { report(row) }
        return sorted
    }

    private var sorted: [WireDownload] { known.values.sorted { $0.id < $1.id } }

    private mutating func follow(after last: Int64) async throws(DownloadError) {
        show()
        for try await element in try await client.events(after: last) {
            switch element {
            case .event(let event): try await hear(event)
            case .progress(let progress):
                for row in progress.downloads where open.contains(row.id) {
                    known[row.id]?.take(row)
                }
            case .notice: break
            }
            if open.isEmpty { return }
            show()
        }
        throw DownloadError(
            .daemonUnavailable,
            "the daemon stopped while pawl was waiting",
            advice: "start it: pawl daemon start; then wait again"
        )
    }

    private mutating func hear(_ event: WireEvent) async throws(DownloadError) {
        guard let id = event.download, known[id] != nil else { return }
        switch event.kind {
        case .removed: forget(id)
        case .finished, .failed, .cancelled, .paused, .resumed, .retrying, .started:
            do throws(DownloadError) {
                let row = try await client.download(id)
                known[id] = row
                look(at: row)
            } catch {
                guard error.code == .notFound else { throw error }
                forget(id)
            }
        case .added, .changed, .settings: break
        }
    }

    private mutating func forget(_ id: Int64) {
        known[id] = nil
        open.remove(id)
    }

    private mutating func look(at row: WireDownload) {
        if row.state.isStill {
            open.remove(row.id)
            if row.state.isEnd { report(row) }
        } else {
            open.insert(row.id)
            reported.remove(row.id)
        }
    }

    private mutating func report(_ row: WireDownload) {
        guard reported.insert(row.id).inserted, !isSilent else { return }
        guard let error = row.endError else { return display.ended(EndedDownload(row)) }
        console.report(error)
    }

    private mutating func show() {
        var run = RunSnapshot()
        run.orderedCount = known.count
        for row in known.values where row.state.isEnd {
            run.endedCount += 1
            if row.state == .finished {
                run.finishedBytes = run.finishedBytes.saturatingAdd(row.completedBytes)
            } else {
                run.failedCount += 1
            }
        }
        run.running = open.compactMap { known[$0] }.inQueueOrder.map { row in
            RunningDownload(id: Int(row.id), source: row.url, progress: row.progress)
        }
        display.show(run, at: clock.now())
    }
}

extension EndedDownload {
    /// One that the daemon has finished.
    fileprivate init(_ row: WireDownload) {
        let file = DownloadedFile(path: row.path ?? row.name, byteCount: row.completedBytes)
        self.init(id: Int(row.id), source: row.url, name: row.name, result: .success(file))
        if let metrics = row.metrics?.metrics {
            elapsed = metrics.duration
            fetchedBytes = min(metrics.bytesReceived, row.completedBytes)
        }
    }
}

extension WireDownload {
    /// Why it did not end well; nil if it did.
    var endError: DownloadError? {
        let what = "download \(id) (\(name))"
        switch state {
        case .finished: return nil
        case .failed: return problem?.error ?? DownloadError(.unknown, "\(what) failed")
        case .cancelled: return DownloadError(.cancelled, "\(what) was cancelled")
        case .waiting, .waitingForConnectivity, .running, .suspended, .paused:
            return DownloadError(
                .interrupted,
                "\(what) is paused",
                advice: "pawl resume \(id) continues it"
            )
        }
    }
}

extension DaemonClient {
    /// Those that are meant, in any order.
    ///
    /// - Throws: `.notFound` for a target that means none.
    fileprivate func selected(
        _ selection: Selection
    ) async throws(DownloadError) -> [WireDownload] {
        var query = ListQuery()
        query.limit = ListQuery.mostLimit
        query.session = selection.session
        if selection.all == true { query.states = ListQuery.unfinishedOrFailed }
        var downloads: [WireDownload] = []
        for targets in selection.targets.map({ $0.map { [$0] } }) ?? [[]] {
            query.targets = targets
            let found = try await all(query)
            if let target = targets.first, found.isEmpty { throw ShowCommand.notFound(target) }
            downloads += found
        }
        return downloads
    }
}

extension TaskState {
    /// Nothing happens before somebody asks for it.
    fileprivate var isStill: Bool { isEnd || self == .paused || self == .suspended }
}
