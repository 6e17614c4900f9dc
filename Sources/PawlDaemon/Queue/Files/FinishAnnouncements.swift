internal import Pawl
internal import PawlCore
internal import Synchronization

/// The complete files that wait for their names: a file gets its name after the store has recorded
/// that.
final class FinishAnnouncements: Sendable {
    /// A complete file of a run that waits for its name.
    struct Announcement: Sendable {
        fileprivate var number: Int
        var id: Int64
        var file: WrittenFile
        fileprivate let answer = Completion<DownloadError?>()
    }

    private struct State {
        var lastNumber = 0
        var waiting: [Announcement] = []
        /// The files of runs that are getting their names.
        var finishing: [Int64: WrittenFile] = [:]
        /// The runs that were stopped, whose files no longer get their names.
        var stopped: Set<Int64> = []
    }

    private let running: RunningDownloads
    private let work: Wakeup
    private let state = Mutex(State())

    init(_ environment: QueueEnvironment) {
        (running, work) = (environment.running, environment.work)
    }

    /// Returns when the store has recorded that this file gets its name, or is kept as corrupt.
    ///
    /// Waits while the store cannot be written.
    ///
    /// - Throws: `.interrupted` if the run is stopped before.
    func announce(_ id: Int64, _ file: WrittenFile) async throws(DownloadError) {
        var file = file
        if let folder = running.folder(of: id) { file.path = folder.shown(file.path) }
        let announcement = state.withLock { [file] state -> Announcement? in
            // The run may not have noticed yet that it was stopped.
            guard !state.stopped.contains(id) else { return nil }
            state.lastNumber += 1
            let announcement = Announcement(number: state.lastNumber, id: id, file: file)
            state.waiting.append(announcement)
            return announcement
        }
        guard let announcement else { throw Self.stopped }
        work.send()
        if let refusal = await announcement.answer.waitIgnoringCancellation() { throw refusal }
    }

    /// The announcements that the store has not recorded yet, in order.
    var waiting: [Announcement] { state.withLock { $0.waiting } }

    /// Lets runs continue whose announcements the store has recorded.
    func recorded(_ written: [Announcement]) {
        let numbers = Set(written.map(\.number))
        state.withLock { state in
            state.waiting.removeAll { numbers.contains($0.number) }
            for item in written { state.finishing[item.id] = item.file }
        }
        for item in written { item.answer.complete(with: nil) }
    }

    /// The recorded file of a run; `nil` if the run has announced none.
    func finishingFile(of id: Int64) -> WrittenFile? { state.withLock { $0.finishing[id] } }

    /// Whether the complete file of a run is getting its name, or has it.
    func isFinishing(_ id: Int64) -> Bool { finishingFile(of: id)?.kind == .finished }

    func ended(_ id: Int64) {
        state.withLock { state in
            state.finishing[id] = nil
            state.stopped.remove(id)
        }
    }

    // MARK: - Stopping

    /// Lets a run that is stopped end without waiting for the store; from now on, its file does not
    /// get its name.
    func stop(_ id: Int64) {
        state.withLock { _ = $0.stopped.insert(id) }
        stop(Self.stopped) { $0.id == id }
    }

    /// Lets all runs end without waiting for the store.
    func stopAll(_ error: DownloadError? = nil) { stop(error ?? Self.stopped) { _ in true } }

    private func stop(_ error: DownloadError, where isStopped: (Announcement) -> Bool) {
        let stopped = state.withLock { state in
            let stopped = state.waiting.filter(isStopped)
            state.waiting.removeAll(where: isStopped)
            return stopped
        }
        for item in stopped { item.answer.complete(with: error) }
    }

    private static let stopped = DownloadError(.interrupted, "the download was stopped")
}
