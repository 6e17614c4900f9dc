internal import Logging
package import PawlCore
package import PawlStorage

/// What a download left that is not to be gone on with.
package enum Leftover {
    /// Throws away a partial file and its checkpoint.
    ///
    /// It blocks.
    ///
    /// - Throws: `.alreadyRunning` where somebody has them, and what the disk says.
    package static func remove(
        _ paths: DownloadPaths,
        _ engine: Engine
    ) throws(DownloadError) {
        let found = try PartialStore.recover(
            paths,
            allowsWeakResume: true,
            settings: engine.storeSettings
        )
        if case .resumable(let store, _) = found { try store.discard() }
    }

    /// The same where nobody waits for it: what is in the way is told to the log.
    package static func discard(_ paths: DownloadPaths, _ engine: Engine) {
        do throws(DownloadError) {
            try remove(paths, engine)
        } catch {
            engine.logger.warning("throwing away what came failed: \(error)")
        }
    }
}
