package import PawlCore
internal import Synchronization
internal import SystemPackage

extension PartialStore {
    /// Puts aside what an earlier run left, as the user asked not to go on with it.
    package static func setAside(
        _ paths: DownloadPaths,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> RecoveredStore {
        let recovered = try recover(paths, settings: settings)
        guard case .resumable(let store, _) = recovered else { return recovered }
        // The lock is held until the names have changed.
        defer { store.close() }
        return try setAside(paths, .unwanted, hasPartial: store.state.withLock { $0.isNamed })
    }

    /// Changes when what was written before counts no more: after a reset, or a failed sync.
    package var trustEpoch: Int { state.withLock { $0.epoch } }
}
