internal import PawlWire

/// Waits for a daemon that does not accept connections yet, or no longer.
struct DaemonWait {
    /// The paths of this machine's daemon; `nil` for a daemon whose locks cannot be seen.
    private let paths: DaemonPaths?
    private let deadline: ContinuousClock.Instant
    private let holdsCommandLock: Bool
    /// The daemon that should have accepted the last connection.
    private var unreachable: StoreLock.Owner?

    /// `holdsCommandLock`: whether this process itself starts or stops the daemon.
    init(_ paths: DaemonPaths, atMost limit: Duration, holdsCommandLock: Bool) {
        (self.paths, deadline) = (paths, .now + limit)
        self.holdsCommandLock = holdsCommandLock
    }

    /// Waits for a daemon over TCP.
    init(forRemoteAtMost limit: Duration) {
        (paths, deadline) = (nil, .now + limit)
        holdsCommandLock = false
    }

    /// Waits for a moment after a connection has failed; returns whether to connect again.
    ///
    /// Returns `false` if no daemon uses the queue and no command starts one, if one listens that
    /// cannot be reached, or if the time is over.
    mutating func pause() async -> Bool {
        guard .now < deadline else { return false }
        guard let paths else {
            // If the task is cancelled, the next request ends at once.
            try? await Task.sleep(for: .milliseconds(500))
            return true
        }
        // The owner is read only once: if a daemon ended between two reads, it would seem never to
        // have existed.
        let owner = StoreLock.owner(paths)
        if owner != nil || !isBetweenDaemons(paths) {
            // A command that has just ended may have started one.
            guard let owner = owner ?? StoreLock.owner(paths) else { return false }
            switch owner.phase {
            case .starting, .stopping: break
            case .listening, nil:
                // It may have begun to listen after the connection failed.
                guard unreachable != owner else { return false }
                unreachable = owner
            }
        }
        // If the task is cancelled, the next request ends at once.
        try? await Task.sleep(for: .milliseconds(20))
        return true
    }

    /// Whether a command of another process, which has stopped the daemon or will start it, is the
    /// reason that none runs.
    private func isBetweenDaemons(_ paths: DaemonPaths) -> Bool {
        !holdsCommandLock && CommandLock.isTaken(folder: paths.storeFolder)
    }
}
