/// A stable name for a kind of failure; new ones may come, so switch with a default.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The code as it stands in `docs/errors.md` and in JSON.
    public let rawValue: String

    /// Makes a code of its name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// When trying again makes sense.
public enum RetryClass: String, Sendable, Codable {
    /// At once, on a new connection.
    case now
    /// After some time: the failure is likely to pass.
    case later
    /// Not from this source; another may serve.
    case elsewhere
    /// Not before something was changed.
    case never
}
