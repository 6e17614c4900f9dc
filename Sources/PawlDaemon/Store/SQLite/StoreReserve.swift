internal import Glibc
internal import Synchronization

/// Reserved space on the disk of the store.
///
/// With it, the user can still pause, cancel and remove downloads on a full disk, and ends are
/// recorded.
final class StoreReserve: Sendable {
    private struct State {
        /// The number of reserved bytes.
        var bytes: off_t = 0
        var triedAt: ContinuousClock.Instant?
        /// Whether the file system cannot reserve space.
        var isUnsupported = false
    }

    private let path: String
    private let state = Mutex(State())

    /// The size of the reserve: enough for changes of thousands of downloads at once.
    private static let whole: off_t = 2 << 20
    /// The space that one write gets at a time; the rest remains for later writes.
    private static let portion: off_t = 64 << 10
    /// The space that must be free besides the reserve, so that downloads may be added.
    private static let least: UInt64 = 512 << 10
    private static let retryInterval: Duration = .seconds(10)

    init(path: String) {
        self.path = path
        restore()
    }

    /// Frees a portion of the reserve for the next write; returns whether there was any.
    func release() -> Bool {
        state.withLock { state in
            let left = max(0, state.bytes - Self.portion)
            guard state.bytes > 0, truncate(path, left) == 0 else { return false }
            (state.bytes, state.triedAt) = (left, .now)
            return true
        }
    }

    /// Fills the reserve again, as soon as there is enough space.
    func restore() {
        state.withLock { state in
            let isTooSoon =
                state.triedAt.map { $0.duration(to: .now) < Self.retryInterval } ?? false
            if !isTooSoon { fill(&state) }
        }
    }

    /// Whether downloads may be added: the reserve is full, or can be filled now, and more space is
    /// free.
    var isWhole: Bool {
        let isKept = state.withLock { state in
            fill(&state)
            return state.bytes == Self.whole || state.isUnsupported
        }
        var system = statvfs()
        // If the system does not report the free space, there is assumed to be enough.
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
            // The failed attempt may have taken some space, which is needed elsewhere.
            ftruncate(descriptor, state.bytes)
            state.isUnsupported = code == EOPNOTSUPP || code == EINVAL
        }
    }
}
