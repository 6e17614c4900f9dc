/// Where a download is to go.
public enum Destination: Hashable, Sendable {
    /// This file; its folder must exist or be creatable.
    case file(String)
    /// This folder; the server or the URL gives the name.
    case directory(String)
}
