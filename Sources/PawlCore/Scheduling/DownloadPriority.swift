/// The priority of a task; within a session, the task with the highest priority starts first.
public enum DownloadPriority: Int, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// After all others.
    case low
    /// The default.
    case normal
    /// Before all others.
    case high

    /// Returns whether the first priority is lower than the second.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
