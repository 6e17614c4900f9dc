/// The destination of a download.
public enum Destination: Hashable, Sendable {
    /// The given file.
    ///
    /// Its folder must exist or be creatable.
    case file(String)
    /// The given folder.
    ///
    /// The server or the URL determines the name.
    case directory(String)
}
