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

extension Console {
    /// Returns the work of a verb that has to find out more, perhaps over the network, before the
    /// rest of its options can be checked.
    func work(
        after prepare: @escaping @Sendable () async throws(DownloadError) -> VerbWork
    ) -> VerbWork {
        {
            do throws(DownloadError) {
                return await (try await prepare())()
            } catch {
                self.report(error)
                return error.code.exitStatus
            }
        }
    }
}
