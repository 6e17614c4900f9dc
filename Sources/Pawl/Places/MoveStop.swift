internal import PawlCore
internal import Synchronization

/// Stops a copy or a reading between two pieces.
final class MoveStop: Sendable {
    private let isSet = Atomic(false)

    func set() { isSet.store(true, ordering: .relaxed) }

    func check() throws(DownloadError) {
        guard isSet.load(ordering: .relaxed) else { return }
        throw DownloadError(.interrupted, "stopped before it was done")
    }
}
