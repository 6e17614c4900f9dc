/// Two sessions are equal if they are the same object.
extension DownloadSession: Hashable {
    /// Whether both are the same session.
    public static func == (one: DownloadSession, other: DownloadSession) -> Bool { one === other }

    /// Hashes the identity of the session.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
