/// What a request for a key does if its file exists.
public enum FinishedFilePolicy: String, Sendable, Hashable, CaseIterable {
    /// Returns the file as it is, without a network request.
    case use
    /// Sends one conditional request (RFC 9110 §13).
    ///
    /// Returns the existing file if the server confirms it, otherwise the new one.
    case revalidate
    /// Fetches the whole file again.
    ///
    /// The new file replaces the old one when it is complete.
    case reload
}
