package import PawlCore
internal import Synchronization
internal import SystemPackage

extension PartialStore {
    /// Sets aside the files of an earlier run, because the user does not want to resume it.
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

    /// A number that changes when bytes written before no longer count: after a reset, or a failed
    /// sync.
    package var trustEpoch: Int { state.withLock { $0.epoch } }
}
