/// The state of a session's task.
public enum TaskState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The task was resumed, and waits for its turn, for its start date, or before a retry.
    case waiting
    /// The network is not reachable.
    ///
    /// The task continues by itself when the network is reachable again.
    case waitingForConnectivity
    /// The task runs and may receive bytes.
    case running
    /// The task has not started, or is held and keeps its connections.
    case suspended
    /// The task is held without a connection; the bytes received so far are kept.
    case paused
    /// The file or the data is complete.
    case finished
    /// The task ended with an error.
    case failed
    /// The task was cancelled.
    case cancelled

    /// Whether no other state can follow.
    public var isEnd: Bool {
        switch self {
        case .finished, .failed, .cancelled: true
        case .waiting, .waitingForConnectivity, .running, .suspended, .paused: false
        }
    }
}
