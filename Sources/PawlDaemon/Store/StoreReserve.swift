internal import Glibc
internal import Synchronization

/// Room on the store's disk that is kept back: where the disk is full, it lets the user pause and remove
/// downloads, which makes room.
final class StoreReserve: Sendable {
    private struct State {
        var isThere = false
        var triedAt: ContinuousClock.Instant?
    }

    private let path: String
    private let state = Mutex(State())

    /// Enough for changes of thousands of downloads at once.
    private static let bytes: off_t = 2 << 20
    private static let patience: Duration = .seconds(10)

    init(path: String) {
        self.path = path
        restore()
    }

    /// Gives the room to whoever writes next; returns whether there was any.
    func release() -> Bool {
        state.withLock { state in
            guard state.isThere, unlink(path) == 0 else { return false }
            (state.isThere, state.triedAt) = (false, .now)
            return true
        }
    }

    /// Takes the room again, as soon as there is some.
    func restore() {
        state.withLock { state in
            let isTooSoon = state.triedAt.map { $0.duration(to: .now) < Self.patience } ?? false
            guard !state.isThere, !isTooSoon else { return }
            state.triedAt = .now
            let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW
            let descriptor = open(path, flags, 0o600)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            state.isThere = posix_fallocate(descriptor, 0, Self.bytes) == 0
            // What there is of it is needed elsewhere.
            if !state.isThere { unlink(path) }
        }
    }
}
