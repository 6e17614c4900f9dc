package import ArgumentParser
package import PawlCore

/// The work of a verb after its options were checked.
///
/// Returns the exit status.
package typealias VerbWork = @Sendable () async -> Int32

/// One verb of the command.
package protocol PawlVerb: ParsableCommand {
    /// Checks the options and returns the work.
    ///
    /// Changes nothing.
    func prepare(_ console: Console) throws(DownloadError) -> VerbWork
}
