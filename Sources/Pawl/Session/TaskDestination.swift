public import struct FoundationEssentials.URL
public import PawlCore

/// The destination of a download task's file.
public enum TaskDestination: Sendable {
    /// A temporary file of the session: move it to keep it.
    ///
    /// It is removed when the task's completion handler and the delegate have returned. Without a
    /// handler it is removed when the task is released. If the task's `file` was awaited, it stays
    /// until the session is released. The next session of the same application removes what an
    /// earlier process left.
    case temporary
    /// The given file; its folder is created.
    ///
    /// If another file has the name already, `settings.ifExists` decides: by default the new one
    /// gets a number (`name.1.iso`). The ``DownloadedFile`` contains the final path.
    case file(String)
    /// The given folder.
    ///
    /// The server or the URL determines the name.
    case directory(String)
    /// The given object of a storage service with the S3 protocol: `s3://bucket/key`.
    ///
    /// If the URL ends in a slash, the server or the URL of the download determines the rest of the
    /// key. The bytes are uploaded while they are received, and the object appears when they are
    /// complete and verified. `settings.ifExists` decides what happens if there is an object with
    /// the same key: by default the new one gets a number (`name.1.iso`). The service and its
    /// credentials are those of the settings for `s3:` URLs, except for a name and password, which
    /// are for the download's own source. Settings about files, such as `keepsServerTime`, are
    /// refused.
    case object(URL)
    /// The application's folder at that place, with the given name; `nil` takes the name from the
    /// server or the URL.
    case place(Place, name: String? = nil)
    /// The result of the closure, which is called once the server has responded: `.file(path)` or
    /// `.directory(folder)`.
    ///
    /// An object cannot be chosen. The closure may block. If it throws, the download fails with `DownloadError(error)`: an error that is
    /// not a ``DownloadError`` becomes the ``DownloadError/cause`` of an error with the code
    /// `.unknown`.
    case choosing(@Sendable (DownloadResponse) throws -> Destination)
}

extension TaskDestination {
    package init(_ destination: Destination) {
        self =
            switch destination {
            case .file(let path): .file(path)
            case .directory(let folder): .directory(folder)
            case .object(let url): .object(url)
            }
    }
}
