/// A stable name for a kind of failure.
///
/// Later versions may add codes, so use a default in a `switch`.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The code as it appears in `docs/errors.md` and in JSON.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension ErrorCode: CustomStringConvertible {
    /// The name of the code, such as `disk-full`.
    public var description: String { rawValue }
}

/// When retrying a failed download can help.
public enum RetryClass: String, Sendable, Codable {
    /// Immediately, on a new connection.
    case now
    /// After some time, because the failure is probably temporary.
    case later
    /// Only from another source.
    case elsewhere
    /// Only after something has changed.
    case never
}
