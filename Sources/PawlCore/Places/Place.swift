/// Where files belong, by what may become of them.
public enum Place: Hashable, Sendable {
    /// The user's own: never cleaned, never removed by Pawl.
    case documents
    /// Can be fetched again: may be cleaned by age, size, or when the disk runs low.
    case caches
    /// Gone when the session ends.
    case temporary
    /// This folder, whatever is in it.
    case directory(String)
}
