internal import Pawl
internal import PawlCore

/// A run that has ended, with its result.
struct EndedRun: Sendable {
    var id: Int64
    var task: DownloadTask
    var result: Result<DownloadedFile, DownloadError>

    /// A run that the store has recorded as started, but that could not start.
    struct Unstarted: Sendable {
        var id: Int64
        var error: DownloadError
    }
}

/// A run that has started.
struct StartedRun: Sendable {
    var id: Int64
    var task: DownloadTask
}
