internal import Glibc
package import PawlCore
internal import SystemPackage

/// A closure that returns the names to try after `taken`, which belong to another file.
///
/// It throws if there are none.
package typealias NextName =
    @Sendable (_ taken: DownloadPaths) throws(DownloadError) -> DownloadPaths

/// Creates partial files.
package enum PartialCreation {
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
        let claims = ClaimLedger(source: source, mark: mark, representation: representation)
        if let file = try openUnnamed(in: paths.folder, settings) {
            return PartialStore(paths, CheckpointedFile(file, claims), settings, next: next)
        }
        var paths = paths
        while true {
            let checkpoint = try CheckpointFile.create(
                paths.checkpoint,
                claims.emptyCheckpoint(paths, settings.boot),
                startsUnnamed: false
            )
            if let checkpoint, let store = try named(paths, checkpoint, claims, settings) {
                return store
            }
            guard let next else { throw FileLock.taken(paths.partial) }
            paths = try next(paths)
        }
    }

    /// Creates the missing partial file of a checkpoint.
    static func create(
        _ paths: DownloadPaths,
        _ checkpoint: CheckpointFile,
        _ claims: ClaimLedger,
        _ settings: StoreSettings
    ) throws(DownloadError) -> PartialStore {
        if let file = try openUnnamed(in: paths.folder, settings) {
            let files = CheckpointedFile(file, claims, checkpoint: checkpoint)
            return PartialStore(paths, files, settings)
        }
        if let store = try named(paths, checkpoint, claims, settings) { return store }
        throw FileLock.taken(paths.partial)
    }

    /// Opens a file without a name if the file system and `/proc` support that, so that a short
    /// download leaves nothing behind when it is killed.
    private static func openUnnamed(
        in folder: FilePath,
        _ settings: StoreSettings
    ) throws(DownloadError) -> OpenFile? {
        guard settings.startsUnnamed else { return nil }
        return try attempt(.createPartial, folder, OpenFile.unnamed(in: folder))
    }

    /// Names the file.
    ///
    /// Its checkpoint exists already, so the named file is known as ours from its first moment.
    ///
    /// Returns `nil`, without a checkpoint, if the name is taken.
    private static func named(
        _ paths: DownloadPaths,
        _ checkpoint: CheckpointFile,
        _ claims: ClaimLedger,
        _ settings: StoreSettings
    ) throws(DownloadError) -> PartialStore? {
        do throws(DownloadError) {
            guard let file = try openExclusively(paths.partial) else {
                try? paths.checkpoint.removeFile()
                return nil
            }
            let files = CheckpointedFile(file, claims, isNamed: true, checkpoint: checkpoint)
            let store = PartialStore(paths, files, settings)
            do throws(DownloadError) {
                try FileLock.take(file, paths.partial)
                try store.saveCheckpoint(written: claims.written)
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
        let status = try attempt(.create, paths.final, paths.final.targetStatus())
        try ExistingFile.checkKind(status, paths.final)
    }
}
