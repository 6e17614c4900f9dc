internal import PawlCore
internal import Synchronization

/// Ends a copy between two pieces of it.
final class MoveStop: Sendable {
    private let isSet = Atomic(false)

    func set() { isSet.store(true, ordering: .relaxed) }

    func check() throws(DownloadError) {
        guard isSet.load(ordering: .relaxed) else { return }
        throw DownloadError(.interrupted, "stopped before the file was moved")
    }
}
