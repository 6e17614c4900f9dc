internal import ArgumentParser
internal import PawlCore

/// What a verb does once its options are known to be right.
///
/// Gives the exit status.
typealias VerbWork = @Sendable () async -> Int32

/// One verb of the command.
protocol PawlVerb: ParsableCommand {
    /// Checks everything that can be checked before anything is touched.
    func prepare(_ console: Console) throws(DownloadError) -> VerbWork
}
