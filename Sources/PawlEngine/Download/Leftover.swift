internal import Logging
package import PawlCore
package import PawlStorage

/// The files of a download that will not be resumed.
package enum Leftover {
    /// Deletes a partial file and its checkpoint.
    ///
    /// It blocks.
    ///
    /// - Throws: `.alreadyRunning` if another process uses them, and errors of the file system.
    package static func remove(
        _ paths: DownloadPaths,
        _ engine: Engine
    ) throws(DownloadError) {
        let found = try PartialRecovery.recover(
            paths,
            allowsWeakResume: true,
            settings: engine.storeSettings
        )
        if case .resumable(let store, _) = found { try store.discard() }
    }

    /// Deletes them as above if nobody waits for the result.
    ///
    /// Errors are written to the log.
    package static func discard(_ paths: DownloadPaths, _ engine: Engine) {
        do throws(DownloadError) {
            try remove(paths, engine)
        } catch {
            engine.logger.warning("cannot delete the received bytes: \(error)")
        }
    }
}
