internal import PawlCore
internal import PawlWire

/// The result of a renaming that a client has requested.
struct NewName {
    var name: String
    /// The path of the file, finished or not, after the renaming.
    var path: String?
    var partial: WrittenFile?
    var error: DownloadError?

    /// Changes the row to the new name.
    func apply(to row: inout WireDownload) throws(DownloadError) {
        if let error { throw error }
        row.path = path ?? row.path
        row.name = name.sanitized
    }
}
