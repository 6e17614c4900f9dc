internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// Receives small files without a driver: one request, a body in memory, a file.
///
/// A download in the lane has neither a planner nor a task of its own. It leaves if it needs one: if
/// the response is not a small file, the connection breaks, the download is paused, or
/// `longestStay` has passed. Then a driver continues where the lane stopped, with the same transfer.
final class SmallFileLane: Sendable {
    private struct State {
        /// The downloads whose files are still to be looked for.
        var waiting: [LaneDownload] = []
        /// The number of threads that look for files.
        var threads = 0
        /// The downloads that have not received their file yet, in the order in which they began.
        var open: [LaneDownload] = []
        var isAlarmSet = false

        /// Adds a download that needs a thread; returns whether one must be started.
        mutating func needsThread(for download: LaneDownload) -> Bool {
            waiting.append(download)
            guard threads < SmallFileLane.mostThreads else { return false }
            threads += 1
            return true
        }
    }

    /// The time after which a download has a driver, which measures speeds and retries.
    static let longestStay = Duration.milliseconds(500)
    /// The maximum number of threads that look for files: the disk's other work gets the rest.
    private static let mostThreads = 2
    /// The number of files after which a thread does the disk's other work.
    private static let filesATurn = 16

    private let pool: BlockingPool
    private let alarms: AlarmClock
    private let time: any Timekeeper
    private let alarm = Mutex<AlarmClock.Ticket?>(nil)
    private let state = Mutex(State())

    init(_ pool: BlockingPool, _ alarms: AlarmClock, _ time: any Timekeeper) {
        (self.pool, self.alarms, self.time) = (pool, alarms, time)
    }

    deinit {
        if let ticket = alarm.withLock({ $0 }) { alarms.resign(ticket) }
    }

    /// Adds a download, which is started on a thread of the disk.
    func enter(_ download: LaneDownload) {
        let (needsThread, needsAlarm) = state.withLock { state in
            state.open.append(download)
            defer { state.isAlarmSet = true }
            return (state.needsThread(for: download), !state.isAlarmSet)
        }
        if needsAlarm { setAlarm(at: download.began + Self.longestStay) }
        if needsThread { startLater() }
    }

    /// Lets a download send its request on a thread of the disk.
    func start(_ download: LaneDownload) {
        if state.withLock({ $0.needsThread(for: download) }) { startLater() }
    }

    /// Removes a download that has received its file, or has left.
    func remove(_ download: LaneDownload) {
        state.withLock { state in
            if let index = state.open.firstIndex(where: { $0 === download }) {
                state.open.remove(at: index)
            }
            if let index = state.waiting.firstIndex(where: { $0 === download }) {
                state.waiting.remove(at: index)
            }
        }
    }

    private func startLater() { pool.start { refusal in self.startWaiting(refusal) } }

    private func startWaiting(_ refusal: DownloadError?) {
        for _ in 0..<Self.filesATurn {
            let download = state.withLock { state -> LaneDownload? in
                if state.waiting.isEmpty {
                    state.threads -= 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
            guard let download else { return }
            download.start(refusal)
        }
        startLater()
    }

    private func setAlarm(at moment: Moment) {
        let ticket = alarm.withLock { alarm in
            let ticket = alarm ?? alarms.enroll { [weak self] in self?.handOverLate() }
            alarm = ticket
            return ticket
        }
        alarms.set(ticket, at: moment)
    }

    /// Lets the downloads leave that have stayed too long.
    private func handOverLate() {
        let now = time.now()
        let (late, next) = state.withLock { state in
            let late = Array(state.open.prefix { $0.began + Self.longestStay <= now })
            state.open.removeFirst(late.count)
            state.isAlarmSet = !state.open.isEmpty
            return (late, state.open.first)
        }
        if let next { setAlarm(at: next.began + Self.longestStay) }
        for download in late { download.leave() }
    }
}
