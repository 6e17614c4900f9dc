/// What asking for a key does where its file is there.
public enum FinishedFilePolicy: String, Sendable, Hashable, CaseIterable {
    /// The file as it is, without a request.
    case use
    /// One conditional request (RFC 9110 §13): the file where the server says that it is still the
    /// same, else the new one.
    case revalidate
    /// All of it anew; the new file replaces the old one when it is complete.
    case reload
}
