internal import Pawl
internal import PawlCore

/// A run that has ended, with its result.
struct EndedRun: Sendable {
    var id: Int64
    var task: DownloadTask
    var result: Result<DownloadedFile, DownloadError>
    /// The finished file where a rule has moved it; `nil` if it stayed where it was.
    var moved: WrittenFile?

    init(id: Int64, task: DownloadTask, result: Result<DownloadedFile, DownloadError>) {
        (self.id, self.task, self.result) = (id, task, result)
    }

    /// Records that a rule has moved the finished file.
    mutating func move(to file: WrittenFile) {
        moved = file
        result = result.map { finished in
            var finished = finished
            finished.path = file.path
            return finished
        }
    }

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
