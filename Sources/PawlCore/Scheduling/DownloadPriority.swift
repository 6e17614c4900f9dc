/// How urgent a task is; within a session the most urgent begins first.
public enum DownloadPriority: Int, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// After all others.
    case low
    /// The default.
    case normal
    /// Before all others.
    case high

    /// By urgency.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
