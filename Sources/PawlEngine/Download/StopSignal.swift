internal import PawlCore
internal import Synchronization

/// Tells work that blocks for long that the download is to end.
///
/// The driver that waits for such work reads no message meanwhile, and sees no deadline.
final class StopSignal: Sendable {
    let deadline: Moment?
    private let time: any Timekeeper
    private let isCancelled = Atomic<Bool>(false)

    /// The time that the whole download may take begins now.
    init(after duration: Duration?, _ time: any Timekeeper) {
        deadline = duration.map { time.now() + $0 }
        self.time = time
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Throws where the download is to end; called piece by piece.
    func check() throws(DownloadError) {
        if isCancelled.load(ordering: .relaxed) { throw Self.cancelled }
        if isLate { throw Self.late }
    }

    var isLate: Bool { deadline.map { time.now() >= $0 } ?? false }

    static let cancelled = DownloadError(.interrupted, "stopped", advice: "")

    static let late = DownloadError(
        .timedOut,
        "the download was not done within the time that it was given",
        advice: "\(DownloadError.goOnAdvice), or raise --max-time"
    )
}
