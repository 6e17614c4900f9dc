/// A location for files, by what may happen to them.
public enum Place: Hashable, Sendable, Codable {
    /// The user's documents: never cleaned, never removed by Pawl.
    case documents
    /// Files that can be fetched again.
    ///
    /// They may be removed by age, by size, or when disk space runs low.
    case caches
    /// Files that are not needed for long.
    ///
    /// They may be removed like those of the caches; the system may remove them as well.
    case temporary
    /// The application's settings: never cleaned.
    case preferences
    /// The application's own data, such as databases and indexes: never cleaned.
    case applicationSupport
    /// The files that were installed with the program, its bundle's resources on Apple's systems.
    ///
    /// Usually, this folder is not writable. It is never created, and never cleaned.
    case resources
    /// The user's home folder itself, which all applications share: never created, never cleaned.
    case home
    /// This folder, whatever it contains.
    case directory(String)
}
