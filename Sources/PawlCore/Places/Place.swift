/// A location for files, by what may happen to them.
public enum Place: Hashable, Sendable {
    /// The user's documents: never cleaned, never removed by Pawl.
    case documents
    /// Files that can be fetched again.
    ///
    /// They may be removed by age, by size, or when disk space runs low.
    case caches
    /// Files that are removed when the session ends.
    case temporary
    /// This folder, whatever it contains.
    case directory(String)
}
