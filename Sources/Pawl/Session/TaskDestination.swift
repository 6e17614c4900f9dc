public import PawlCore

/// Where the file of a download task is to go.
public enum TaskDestination: Sendable {
    /// A file of the session's own: move it to keep it.
    ///
    /// It goes when the task's completion handler has returned, and the delegate; without a handler
    /// when nobody holds the task any more. Where the task's `file` was awaited, it stays until the
    /// session goes.
    case temporary
    /// This file; its folder is made.
    ///
    /// If another file has the name already, `settings.ifExists` decides: by default the new one gets a
    /// number (`name.1.iso`). The path of the ``DownloadedFile`` is where it is.
    case file(String)
    /// This folder; the server or the URL gives the name.
    case directory(String)
    /// The application's folder at that place, with that name; nil takes what the server or the URL
    /// gives.
    case place(Place, name: String? = nil)
    /// What the closure says once the server has answered; it may block, and fail.
    case choosing(@Sendable (DownloadResponse) throws(DownloadError) -> Destination)
}
