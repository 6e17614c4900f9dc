internal import Pawl
internal import PawlCore
internal import PawlWire

/// Waits for downloads of the daemon and shows their progress.
struct DownloadWait {
    private let client: DaemonClient
    private let console: Console
    /// Whether the caller prints the results, so that none are reported here.
    private let isSilent: Bool
    private var display: any ProgressDisplay
    private let clock = SystemTimekeeper()
    /// The latest known state of each download; removed downloads are left out.
    private var known: [Int64: WireDownload] = [:]
    /// The downloads that have not ended and are not paused.
    private var open: Set<Int64> = []
    private var reported: Set<Int64> = []

    init(_ client: DaemonClient, _ display: any ProgressDisplay, _ console: Console, isSilent: Bool)
    {
        (self.client, self.console) = (client, console)
        (self.display, self.isSilent) = (display, isSilent)
    }

    /// Waits until each selected download has ended or is paused; returns their final states by ID.
    mutating func run(_ selection: Selection) async throws(DownloadError) -> [WireDownload] {
        // Read before the downloads, so that the stream of events misses no change.
        let last = try await client.status().lastEvent
        for row in try await client.selected(selection) { known[row.id] = row }
        for row in sorted { update(row) }
        if !open.isEmpty { try await follow(after: last) }
        display.close()
        for row in sorted { report(row) }
        return sorted
    }

    private var sorted: [WireDownload] { known.values.sorted { $0.id < $1.id } }

    /// Follows the downloads until none is open, even when the daemon is restarted.
    private mutating func follow(after last: Int64) async throws(DownloadError) {
        var last = last
        while !open.isEmpty {
            let start = ContinuousClock.now
            let isEmpty = try await read(after: last)
            guard !open.isEmpty else { return }
            if isEmpty {
                // A server that ends each stream at once would be asked without a pause. If the task
                // is cancelled, the next request ends at once.
                try? await Task.sleep(until: start + .seconds(1), clock: .continuous)
            }
            last = try await reconnect()
        }
    }

    /// Takes over what has happened until the daemon that replaces the last one accepted requests;
    /// returns its last event.
    private mutating func reconnect() async throws(DownloadError) -> Int64 {
        do throws(DownloadError) {
            let last = try await client.status().lastEvent
            for id in open { try await refresh(id) }
            return last
        } catch  where error.code == .daemonUnavailable && client.remote == nil {
            throw DownloadError(
                .daemonUnavailable,
                "the daemon stopped before the downloads ended",
                advice: "run 'pawl daemon start', then wait again"
            )
        }
    }

    /// Reads events until no download is open or the daemon ends; returns whether there was none.
    private mutating func read(after last: Int64) async throws(DownloadError) -> Bool {
        show()
        var isEmpty = true
        for try await element in try await client.events(after: last) {
            isEmpty = false
            switch element {
            case .event(let event): try await handle(event)
            case .progress(let progress):
                for row in progress.downloads where open.contains(row.id) {
                    known[row.id]?.take(row)
                }
            case .notice: break
            }
            if open.isEmpty { break }
            show()
        }
        return isEmpty
    }

    private mutating func handle(_ event: WireEvent) async throws(DownloadError) {
        guard let id = event.download, known[id] != nil else { return }
        switch event.kind {
        case .removed: forget(id)
        case .finished, .failed, .cancelled, .paused, .resumed, .retrying, .started:
            try await refresh(id)
        case .added, .changed, .settings: break
        }
    }

    private mutating func refresh(_ id: Int64) async throws(DownloadError) {
        guard let row = try await client.find(id) else { return forget(id) }
        known[id] = row
        update(row)
    }

    private mutating func forget(_ id: Int64) {
        known[id] = nil
        open.remove(id)
    }

    private mutating func update(_ row: WireDownload) {
        if row.state.isInactive {
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
        run.requestedCount = known.count
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
    /// A download that the daemon has finished.
    fileprivate init(_ row: WireDownload) {
        let file = DownloadedFile(path: row.path ?? row.name, byteCount: row.completedBytes)
        self.init(id: Int(row.id), source: row.url, name: row.name, result: .success(file))
        if let metrics = row.metrics {
            elapsed = metrics.duration
            fetchedBytes = min(metrics.bytesReceived, row.completedBytes)
        }
    }
}

extension WireDownload {
    /// Why the download is not finished; `nil` if it is.
    var endError: DownloadError? {
        let what = "download \(id) (\(name))"
        switch state {
        case .finished: return nil
        case .failed: return error ?? DownloadError(.unknown, "\(what) failed")
        case .cancelled: return DownloadError(.cancelled, "\(what) was cancelled")
        case .waiting, .waitingForConnectivity, .running, .suspended, .paused:
            return DownloadError(
                .interrupted,
                "\(what) is paused",
                advice: resumption + " to resume it"
            )
        }
    }

    /// The error of the last attempt; `nil` if there is none.
    ///
    /// Its advice resumes this download, instead of repeating the command that added it.
    var error: DownloadError? {
        guard var error = problem?.error else { return nil }
        for phrase in [AdvicePhrase.runAgain, .resume] {
            error.guidance = error.guidance.replacing(phrase, with: resumption)
        }
        return error
    }

    private var resumption: Advice { "run 'pawl resume \(id)'" }
}

extension TaskState {
    /// Whether the download does not continue by itself.
    fileprivate var isInactive: Bool { isEnd || self == .paused || self == .suspended }
}
