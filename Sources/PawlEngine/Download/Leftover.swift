internal import Logging
internal import PawlCore
package import PawlStorage

/// What a download left that is not to be gone on with.
package enum Leftover {
    /// Throws away a partial file and its checkpoint, unless another process has them.
    ///
    /// It blocks.
    package static func discard(_ paths: DownloadPaths, _ engine: Engine) {
        do throws(DownloadError) {
            let found = try PartialStore.recover(
                paths,
                allowsWeakResume: true,
                settings: engine.storeSettings
            )
            if case .resumable(let store, _) = found { try store.discard() }
        } catch {
            engine.logger.warning("throwing away what came failed: \(error)")
        }
    }
}
