internal import Glibc
internal import PawlCore
internal import SystemPackage

/// A partial file with its checkpoint: their names in the folder, their locks, and the claims.
struct CheckpointedFile: Sendable {
    let file: OpenFile
    var claims: ClaimLedger
    /// Whether the partial file has its name in the folder.
    private(set) var isNamed: Bool
    /// The newest checkpoint that was written; `nil` if there is none in the folder.
    private(set) var latest: Checkpoint?
    private var checkpoint: CheckpointFile?

    /// Takes over a partial file, which is locked if it has a name.
    ///
    /// `latest` is the content of `checkpoint`, if that counts.
    init(
        _ file: OpenFile,
        _ claims: ClaimLedger,
        isNamed: Bool = false,
        checkpoint: CheckpointFile? = nil,
        latest: Checkpoint? = nil
    ) {
        self.file = file
        self.claims = claims
        self.isNamed = isNamed
        self.checkpoint = checkpoint
        self.latest = latest
    }

    // MARK: - The checkpoint

    /// Writes a checkpoint, and names the files that have no names yet.
    mutating func save(
        _ names: StoreNames,
        _ settings: StoreSettings,
        of store: PartialStore
    ) throws(DownloadError) {
        guard checkpoint == nil || !isNamed else { return try update(names.paths, settings) }
        var content = try claims.checkpoint(of: file, names.paths, settings.boot)
        while try !takeNames(names.paths, content, settings) {
            // An adopted file has its name already.
            guard !isNamed else { throw FileLock.taken(names.paths.partial) }
            content.targetName = try names.change(of: store).targetName
        }
    }

    /// Writes a checkpoint if there is one already.
    mutating func update(
        _ paths: DownloadPaths,
        _ settings: StoreSettings
    ) throws(DownloadError) {
        guard checkpoint != nil else { return }
        let content = try claims.checkpoint(of: file, paths, settings.boot)
        try checkpoint?.write(content)
        latest = content
    }

    /// Returns the checkpoint's file and the sequence to sync, outside any lock.
    mutating func checkpointSyncBegan() -> (OpenFile, sequence: UInt64)? { checkpoint?.syncBegan() }

    mutating func checkpointSyncEnded(_ synced: OpenFile, sequence: UInt64, succeeded: Bool) {
        checkpoint?.syncEnded(synced, sequence: sequence, succeeded: succeeded)
    }

    // MARK: - Names

    /// Takes the names.
    ///
    /// Returns `false` if another file has one of the two names.
    ///
    /// The checkpoint comes first: a checkpoint without a partial file can be recognized, but a
    /// partial file without a checkpoint would look like another tool's.
    private mutating func takeNames(
        _ paths: DownloadPaths,
        _ content: Checkpoint,
        _ settings: StoreSettings
    ) throws(DownloadError) -> Bool {
        if checkpoint == nil {
            checkpoint = try CheckpointFile.create(
                paths.checkpoint,
                content,
                startsUnnamed: settings.startsUnnamed
            )
            guard checkpoint != nil else { return false }
        } else {
            try checkpoint?.write(content)
        }
        latest = content
        do throws(DownloadError) {
            if isNamed { return true }
            if try takeName(paths.partial) { return true }
        } catch {
            // The checkpoint of a file without a name claims bytes that nobody can find.
            try? removeCheckpoint(paths)
            throw error
        }
        try removeCheckpoint(paths)
        return false
    }

    private mutating func takeName(_ path: FilePath) throws(DownloadError) -> Bool {
        // The lock is taken before others can see the file.
        try FileLock.take(file, path)
        do throws(Errno) {
            try file.link(as: path)
            isNamed = true
            return true
        } catch .fileExists {
            return false
        } catch {
            throw DownloadError(error, while: .create, path)
        }
    }

    /// Whether the partial file had a name that is gone or belongs to another file now, while its
    /// folder exists.
    func isLost(_ paths: DownloadPaths) -> Bool {
        do throws(Errno) {
            guard isNamed, try paths.folder.status() != nil else { return false }
            return try paths.partial.status()?.identity != file.status().identity
        } catch {
            // A file that cannot be checked may still exist.
            return false
        }
    }

    // MARK: - The end

    /// Removes both files, but not files that others have put under their names.
    mutating func remove(_ paths: DownloadPaths) throws(DownloadError) {
        // The order matters: a partial file without a checkpoint would look like another tool's.
        if isNamed { try Self.remove(paths.partial, ifStill: file) }
        try removeCheckpoint(paths)
    }

    mutating func removeCheckpoint(_ paths: DownloadPaths) throws(DownloadError) {
        guard let checkpoint else { return }
        try Self.remove(paths.checkpoint, ifStill: checkpoint.file)
        checkpoint.file.unlock()
        self.checkpoint = nil
        latest = nil
    }

    /// Releases the locks.
    mutating func release() {
        if let checkpoint { checkpoint.file.unlock() }
        checkpoint = nil
        if isNamed { file.unlock() }
    }

    /// Removes a file, unless somebody has moved or replaced it.
    private static func remove(_ path: FilePath, ifStill file: OpenFile) throws(DownloadError) {
        let isOurs = try attempt(.read, path, path.status()?.identity == file.status().identity)
        if isOurs { try attempt(.remove, path, path.removeFile()) }
    }
}
