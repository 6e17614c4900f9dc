public import Pawl
public import PawlCore

/// The progress of several keys together.
extension DownloadLibrary {
    /// Returns the progress of several keys together, about ten times per second, until this library
    /// fetches none of them.
    ///
    /// ```swift
    /// try library.start("intro", from: url)
    /// try library.start("credits", from: other)
    /// for await total in library.progress(of: ["intro", "credits"]) {
    ///     print("\(total.finishedCount) of \(total.taskCount)", total.fraction ?? 0)
    /// }
    /// ```
    ///
    /// Keys whose files exist count as finished, and keys of which nothing is known, such as those
    /// of cancelled downloads, as failed. A paused download counts with the bytes that it has. Start
    /// the downloads before you read the progress; it does not start them.
    public func progress(of keys: some Sequence<StorageKey>) -> ProgressUpdates<TotalProgress> {
        ProgressUpdates(KeysProgressSource(Set(keys), context))
    }
}
