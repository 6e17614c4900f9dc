internal import PawlCore

/// The result of a task.
enum TaskProduct: Sendable {
    case file(DownloadedFile)
    case data(FetchedData)
    /// The bytes were delivered as they arrived.
    case given
}
