internal import Pawl
internal import PawlCore

/// Finds out whether the database was removed or replaced while the daemon uses it.
///
/// The daemon could still write to the open file, but the next one would not find it.
struct StoreLocation: Sendable {
    private let path: String
    private let file: OpenedFilePath

    /// `path`: the path of a database that has just been opened.
    init(path: String) {
        self.path = path
        file = OpenedFilePath(path)
    }

    /// What is wrong; `nil` if the path still leads to the open file.
    var problem: DownloadError? {
        guard let change = file.change else { return nil }
        return DownloadError(
            .diskFailure,
            "the queue was \(change.rawValue) while the daemon was running",
            advice:
                "put \(path) back, or run 'pawl daemon restart' to continue with the queue that "
                + "is there now; files and partial files remain"
        )
    }

    func check() throws(DownloadError) {
        if let problem { throw problem }
    }
}
