internal import PawlWire

/// Waits for a daemon that does not accept connections yet, or no longer.
struct DaemonWait {
    private let places: DaemonPlaces
    private let deadline: ContinuousClock.Instant
    private let holdsCommandLock: Bool
    /// The daemon that should have accepted the last connection.
    private var unreachable: StoreLock.Owner?

    /// `holdsCommandLock`: whether this process itself starts or stops the daemon.
    init(_ places: DaemonPlaces, atMost limit: Duration, holdsCommandLock: Bool) {
        (self.places, deadline) = (places, .now + limit)
        self.holdsCommandLock = holdsCommandLock
    }

    /// Waits for a moment after a connection has failed; returns whether to connect again.
    ///
    /// Returns `false` if no daemon uses the queue and no command starts one, if one listens that
    /// cannot be reached, or if the time is over.
    mutating func pause() async -> Bool {
        guard .now < deadline else { return false }
        if !isBetweenDaemons {
            guard let owner = StoreLock.owner(places) else { return false }
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

    /// Whether no daemon runs because a command of another process has stopped it, or will start
    /// it.
    private var isBetweenDaemons: Bool {
        guard !holdsCommandLock, StoreLock.owner(places) == nil else { return false }
        return CommandLock.isTaken(folder: places.storeFolder)
    }
}
