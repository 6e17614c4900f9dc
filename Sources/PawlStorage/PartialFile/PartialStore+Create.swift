internal import Glibc
package import PawlCore
internal import SystemPackage

extension PartialStore {
    /// Begins a partial file.
    ///
    /// Nothing is seen in the folder before the first claim, where the file system can make files
    /// without a name.
    ///
    /// The folder must be there (`FolderPreparation`), and `recover` have found nothing.
    package static func create(
        _ paths: DownloadPaths,
        source: String,
        representation: Representation,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> PartialStore {
        try checkTarget(paths)
        var state = State(
            source: source,
            representation: representation,
            createdAt: Int64(time(nil))
        )
        if let file = try openUnnamed(in: paths.folder, settings) {
            return PartialStore(paths, file: file, settings: settings, state: state)
        }
        state.checkpoint = try CheckpointFile(creating: paths.checkpoint)
        return try named(paths, settings, state)
    }

    /// The checkpoint is there already, so that the named file is known as ours from its first
    /// moment.
    static func named(
        _ paths: DownloadPaths,
        _ settings: StoreSettings,
        _ state: State
    ) throws(DownloadError) -> PartialStore {
        var state = state
        do throws(DownloadError) {
            let file = try openExclusively(paths.partial)
            state.isNamed = true
            let store = PartialStore(paths, file: file, settings: settings, state: state)
            do throws(DownloadError) {
                try FileLock.take(file, paths.partial)
                try store.saveCheckpoint(written: state.written)
            } catch {
                // It is empty, and without a checkpoint it would look like another tool's.
                try? paths.partial.removeFile()
                throw error
            }
            return store
        } catch {
            // It claims nothing; the first error is the one to report.
            try? paths.checkpoint.removeFile()
            throw error
        }
    }

    private static func openExclusively(_ path: FilePath) throws(DownloadError) -> OpenFile {
        do throws(Errno) {
            return try OpenFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        } catch .fileExists {
            throw FileLock.taken(path)
        } catch {
            throw DownloadError(error, while: .create, path)
        }
    }

    /// What would fail at the end fails now, before anything is fetched.
    private static func checkTarget(_ paths: DownloadPaths) throws(DownloadError) {
        let status = try attempt(.create, paths.final) { () throws(Errno) in
            try paths.final.targetStatus()
        }
        guard let status, status.isDirectory else { return }
        throw DownloadError(.isDirectory, while: .create, paths.final)
    }
}
