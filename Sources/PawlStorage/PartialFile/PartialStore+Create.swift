internal import Glibc
package import PawlCore
internal import SystemPackage

extension PartialStore {
    /// Creates a partial file.
    ///
    /// If the file system supports files without a name, nothing is visible in the folder before
    /// the first claim.
    ///
    /// The folder must exist (`FolderPreparation`), and `recover` must have found nothing.
    ///
    /// `mark` is that of the source's URL. `next` returns the names to try if these are taken when
    /// the file is named; `nil` tries none.
    package static func create(
        _ paths: DownloadPaths,
        source: String,
        mark: SourceMark? = nil,
        representation: Representation,
        settings: StoreSettings = StoreSettings(),
        next: NextName? = nil
    ) throws(DownloadError) -> PartialStore {
        try checkTarget(paths)
        var state = State(
            source: source,
            mark: mark,
            representation: representation,
            createdAt: Int64(time(nil))
        )
        if let file = try openUnnamed(in: paths.folder, settings) {
            return PartialStore(paths, file: file, settings: settings, state: state, next: next)
        }
        var paths = paths
        while true {
            state.checkpoint = try CheckpointFile.create(
                paths.checkpoint,
                empty(paths, settings, state),
                startsUnnamed: false
            )
            if state.checkpoint != nil, let store = try named(paths, settings, state) {
                return store
            }
            guard let next else { throw FileLock.taken(paths.partial) }
            paths = try next(paths)
        }
    }

    /// Returns the checkpoint of a file without bytes.
    private static func empty(
        _ paths: DownloadPaths,
        _ settings: StoreSettings,
        _ state: State
    ) -> Checkpoint {
        var checkpoint = Checkpoint()
        checkpoint.bootIdentity = settings.boot.text
        checkpoint.source = state.source
        checkpoint.mark = state.mark
        checkpoint.targetName = paths.targetName
        checkpoint.representation = state.representation
        checkpoint.createdAt = state.createdAt
        checkpoint.updatedAt = state.createdAt
        return checkpoint
    }

    /// Names the file.
    ///
    /// Its checkpoint exists already, so the named file is known as ours from its first moment.
    ///
    /// Returns `nil`, without a checkpoint, if the name is taken.
    static func named(
        _ paths: DownloadPaths,
        _ settings: StoreSettings,
        _ state: State
    ) throws(DownloadError) -> PartialStore? {
        var state = state
        do throws(DownloadError) {
            guard let file = try openExclusively(paths.partial) else {
                try? paths.checkpoint.removeFile()
                return nil
            }
            state.isNamed = true
            let store = PartialStore(paths, file: file, settings: settings, state: state)
            do throws(DownloadError) {
                try FileLock.take(file, paths.partial)
                try store.saveCheckpoint(written: state.written)
            } catch {
                // The file is empty, and without a checkpoint it would look like another tool's.
                try? paths.partial.removeFile()
                throw error
            }
            return store
        } catch {
            // The checkpoint claims nothing; the first error is the one to report.
            try? paths.checkpoint.removeFile()
            throw error
        }
    }

    /// Returns `nil` if the name is taken.
    private static func openExclusively(_ path: FilePath) throws(DownloadError) -> OpenFile? {
        do throws(Errno) {
            return try OpenFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        } catch .fileExists {
            return nil
        } catch {
            throw DownloadError(error, while: .create, path)
        }
    }

    /// Checks the target, so that an error that would occur at the end occurs before anything is
    /// fetched.
    private static func checkTarget(_ paths: DownloadPaths) throws(DownloadError) {
        let status = try attempt(.create, paths.final) { () throws(Errno) in
            try paths.final.targetStatus()
        }
        try ExistingFile.checkKind(status, paths.final)
    }
}
