internal import Glibc
package import PawlCore
internal import SystemPackage

/// Handles the files of an earlier run: the rows of "Resume, before the first request".
extension PartialStore {
    /// Finds a partial file and its checkpoint, locks both, and trusts what is proven.
    ///
    /// `allowsWeakResume`: whether to resume although no validator can prove that the server's file
    /// is unchanged, because its bytes will be compared or a digest will prove it at the end.
    package static func recover(
        _ paths: DownloadPaths,
        allowsWeakResume: Bool = false,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> RecoveredStore {
        // Another process may rename or remove one of the two meanwhile, which ends soon.
        for _ in 0..<8 {
            if let found = try look(paths, allowsWeakResume, settings) { return found }
        }
        throw FileLock.taken(paths.partial)
    }

    /// Returns `nil` if the files have just gone and must be looked for again.
    private static func look(
        _ paths: DownloadPaths,
        _ allowsWeakResume: Bool,
        _ settings: StoreSettings
    ) throws(DownloadError) -> RecoveredStore? {
        let partialStatus = try status(paths.partial)
        if let partialStatus, !partialStatus.isRegular { return .foreignPartial }
        guard let checkpointStatus = try status(paths.checkpoint) else {
            return partialStatus == nil ? .nothing(notes: []) : .foreignPartial
        }
        let partial = try openLocked(paths.partial)
        guard checkpointStatus.isRegular else {
            return try setAside(paths, .foreign, hasPartial: partial != nil)
        }
        guard let checkpoint = try openLocked(paths.checkpoint) else { return nil }
        let bytes = try attempt(.inspect, paths.checkpoint) { () throws(Errno) in
            try checkpoint.contents(limit: CheckpointImage.longest)
        }
        switch CheckpointImage(bytes) {
        case .unusable(let flaw):
            return try setAside(paths, flaw, hasPartial: partial != nil)
        case .sound(let content, let slotSize, let table):
            let file = CheckpointFile(
                checkpoint,
                path: paths.checkpoint,
                slotSize: slotSize,
                table: table
            )
            return try resume(
                paths,
                content,
                file,
                partial,
                settings,
                allowsWeakResume: allowsWeakResume
            )
        }
    }

    private static func resume(
        _ paths: DownloadPaths,
        _ checkpoint: Checkpoint,
        _ checkpointFile: CheckpointFile,
        _ partial: OpenFile?,
        _ settings: StoreSettings,
        allowsWeakResume: Bool
    ) throws(DownloadError) -> RecoveredStore {
        // It is left from a rewrite of the checkpoint that was killed.
        try? CheckpointFile.draft(of: paths.checkpoint).removeFile()
        var recovery = Recovery(
            representation: checkpoint.representation,
            source: checkpoint.source,
            have: RangeSet(),
            notes: []
        )
        var state = State(
            source: checkpoint.source,
            representation: checkpoint.representation,
            createdAt: checkpoint.createdAt
        )
        state.mark = checkpoint.mark
        state.checkpoint = checkpointFile
        guard let partial else {
            recovery.notes = ["the checkpoint's partial file is missing: fetching everything again"]
            return .resumable(try begin(paths, settings, state), recovery)
        }
        if checkpoint.targetName != paths.targetName {
            // Somebody has renamed the file. Tails and validators still prove whose bytes these
            // are.
            let name = FilePath(bytes: checkpoint.targetName)
            recovery.notes.append("the checkpoint was written for \(name), not \(paths.final)")
        }
        if let obstacle = obstacle(checkpoint.representation, allowsWeakResume) {
            recovery.notes.append(obstacle)
        } else {
            let check = TailCheck(checkpoint, in: partial, boot: settings.boot)
            recovery.have = check.usable
            recovery.notes += Recovery.notes(checkpoint, check)
            state.durable = check.durable
            if !check.usable.isEmpty { state.latest = checkpoint }
        }
        state.written = recovery.have
        state.isNamed = true
        return .resumable(
            PartialStore(paths, file: partial, settings: settings, state: state),
            recovery
        )
    }

    /// Creates the missing partial file of a checkpoint.
    private static func begin(
        _ paths: DownloadPaths,
        _ settings: StoreSettings,
        _ state: State
    ) throws(DownloadError) -> PartialStore {
        guard let file = try openUnnamed(in: paths.folder, settings) else {
            guard let store = try named(paths, settings, state) else {
                throw FileLock.taken(paths.partial)
            }
            return store
        }
        return PartialStore(paths, file: file, settings: settings, state: state)
    }

    static func obstacle(
        _ representation: Representation,
        _ allowsWeakResume: Bool
    ) -> String? {
        if let encoding = representation.contentEncoding {
            return "the server sends the file encoded (\(encoding)), so it cannot be resumed: "
                + "fetching everything again"
        }
        guard !allowsWeakResume, representation.validatorStrength != .strong else { return nil }
        return "nothing that the server sent can prove that its file is unchanged: fetching "
            + "everything again"
    }

    static func status(_ path: FilePath) throws(DownloadError) -> FileStatus? {
        try attempt(.open, path) { () throws(Errno) in try path.status() }
    }

    /// Opens and locks a file that still has its name; `nil` if there is none.
    static func openLocked(_ path: FilePath) throws(DownloadError) -> OpenFile? {
        for _ in 0..<8 {
            let file: OpenFile
            do throws(Errno) {
                file = try OpenFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
            } catch .noSuchFileOrDirectory {
                return nil
            } catch {
                throw DownloadError(error, while: .open, path)
            }
            try FileLock.take(file, path)
            let isSame = try attempt(.open, path) { () throws(Errno) in
                try path.status()?.identity == file.status().identity
            }
            if isSame { return file }
        }
        throw FileLock.taken(path)
    }
}
