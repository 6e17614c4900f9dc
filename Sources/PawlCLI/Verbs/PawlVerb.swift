package import ArgumentParser
package import PawlCore

/// What a verb does once its options are known to be right.
///
/// Gives the exit status.
package typealias VerbWork = @Sendable () async -> Int32

/// One verb of the command.
package protocol PawlVerb: ParsableCommand {
    /// Checks everything that can be checked before anything is touched.
    func prepare(_ console: Console) throws(DownloadError) -> VerbWork
}
