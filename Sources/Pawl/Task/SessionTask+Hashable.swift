/// Two tasks are equal if they are the same object.
extension SessionTask: Hashable {
    /// Whether both are the same task.
    public static func == (one: SessionTask, other: SessionTask) -> Bool { one === other }

    /// Hashes the identity of the task.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
