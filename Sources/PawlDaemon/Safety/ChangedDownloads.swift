internal import PawlWire
internal import Synchronization

/// The downloads that a request has changed, for the audit log.
final class ChangedDownloads: Sendable {
    private let state = Mutex<[Int64]>([])

    var ids: [Int64] { state.withLock { $0 } }

    /// Adds the downloads of an outcome, and returns it.
    @discardableResult
    func adding(_ outcome: WireOutcome) -> WireOutcome {
        state.withLock { $0 += outcome.downloads.map(\.id) }
        return outcome
    }
}
