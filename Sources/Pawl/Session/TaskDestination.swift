public import PawlCore

/// Where the file of a download task is to go.
public enum TaskDestination: Sendable {
    /// A file of the session's own, which is gone with the session; where the session has a delegate
    /// or the task a completion handler, as soon as these have returned.
    ///
    /// Move it to keep it.
    case temporary
    /// This file; its folder is made.
    case file(String)
    /// This folder; the server or the URL gives the name.
    case directory(String)
    /// The application's folder at that place, with that name; nil takes what the server or the URL
    /// gives.
    case place(Place, name: String? = nil)
    /// What the closure says once the server has answered; it may block, and fail.
    case choosing(@Sendable (DownloadResponse) throws(DownloadError) -> Destination)
}
