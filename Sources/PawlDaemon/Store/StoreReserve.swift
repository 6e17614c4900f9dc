internal import Glibc
internal import Synchronization

/// Room on the store's disk that is kept back: where the disk is full, the user can still pause, cancel and
/// remove downloads, which makes room, and ends are still written.
final class StoreReserve: Sendable {
    private struct State {
        /// How many bytes are kept back.
        var bytes: off_t = 0
        var triedAt: ContinuousClock.Instant?
        /// Whether the file system cannot keep room back.
        var isUnsupported = false
    }

    private let path: String
    private let state = Mutex(State())

    /// Enough for changes of thousands of downloads at once.
    private static let whole: off_t = 2 << 20
    /// What one write gets at a time: the rest stays for the next ones.
    private static let portion: off_t = 64 << 10
    /// What must be free besides, so that something may be added.
    private static let least: UInt64 = 512 << 10
    private static let patience: Duration = .seconds(10)

    init(path: String) {
        self.path = path
        restore()
    }

    /// Gives a portion of the room to whoever writes next; returns whether there was any.
    func release() -> Bool {
        state.withLock { state in
            let left = max(0, state.bytes - Self.portion)
            guard state.bytes > 0, truncate(path, left) == 0 else { return false }
            (state.bytes, state.triedAt) = (left, .now)
            return true
        }
    }

    /// Takes the room again, as soon as there is some.
    func restore() {
        state.withLock { state in
            let isTooSoon = state.triedAt.map { $0.duration(to: .now) < Self.patience } ?? false
            if !isTooSoon { fill(&state) }
        }
    }

    /// Whether all of the room is kept back, or can be now, and some more is free: then something may be
    /// added.
    var isWhole: Bool {
        let isKept = state.withLock { state in
            fill(&state)
            return state.bytes == Self.whole || state.isUnsupported
        }
        var system = statvfs()
        // What the system does not tell is not known to be too little.
        guard isKept, statvfs(path, &system) == 0 else { return isKept }
        let free = UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize))
        return free.overflow || free.partialValue >= Self.least
    }

    private func fill(_ state: inout State) {
        guard state.bytes < Self.whole, !state.isUnsupported else { return }
        state.triedAt = .now
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let code = posix_fallocate(descriptor, 0, Self.whole)
        if code == 0 {
            state.bytes = Self.whole
        } else {
            // What there is of it is needed elsewhere.
            ftruncate(descriptor, state.bytes)
            state.isUnsupported = code == EOPNOTSUPP || code == EINVAL
        }
    }
}
