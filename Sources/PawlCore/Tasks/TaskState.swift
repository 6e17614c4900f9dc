/// Where a task of a session stands.
public enum TaskState: String, Sendable, Hashable, Codable, CaseIterable {
    /// It was asked to run, and waits for its turn, its date or its pause to end.
    case waiting
    /// There is no way to the network; it goes on by itself when there is one.
    case waitingForConnectivity
    /// Bytes may come.
    case running
    /// It has not begun, or stands still and keeps its connections.
    case suspended
    /// It stands still without a connection; what came is kept.
    case paused
    /// The file or the data is there as a whole.
    case finished
    /// It ended with an error.
    case failed
    /// It was cancelled.
    case cancelled

    /// Whether nothing can follow.
    public var isEnd: Bool {
        switch self {
        case .finished, .failed, .cancelled: true
        case .waiting, .waitingForConnectivity, .running, .suspended, .paused: false
        }
    }
}
