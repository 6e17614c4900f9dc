internal import NIOCore

extension Channel {
    /// Waits until the event loop knows the channel, because the channel cannot be closed earlier.
    func untilActive() async {
        // That takes the loop a few turns; a channel that was closed meanwhile never becomes
        // active.
        for _ in 0..<8 where !isActive {
            try? await eventLoop.submit {}.get()
        }
    }
}
