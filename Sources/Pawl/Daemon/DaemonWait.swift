internal import PawlWire

/// Waits for a daemon that does not accept connections yet, or no longer.
struct DaemonWait {
    private let places: DaemonPlaces
    private let deadline: ContinuousClock.Instant
    /// The daemon that should have accepted the last connection.
    private var unreachable: StoreLock.Owner?

    init(_ places: DaemonPlaces, atMost limit: Duration) {
        (self.places, deadline) = (places, .now + limit)
    }

    /// Waits for a moment after a connection has failed; returns whether to connect again.
    ///
    /// Returns `false` if no daemon uses the queue, if one listens that cannot be reached, or if
    /// the time is over.
    mutating func pause() async -> Bool {
        guard let owner = StoreLock.owner(places), .now < deadline else { return false }
        switch owner.phase {
        case .starting, .stopping: break
        case .listening, nil:
            // It may have begun to listen after the connection failed.
            guard unreachable != owner else { return false }
            unreachable = owner
        }
        // If the task is cancelled, the next request ends at once.
        try? await Task.sleep(for: .milliseconds(20))
        return true
    }
}
