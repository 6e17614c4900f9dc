internal import Glibc
package import PawlCore
internal import SystemPackage

/// Finds the files of an earlier run under the names of a download, and decides what to do with
/// them before the first request.
package enum PartialRecovery {
    /// Finds a partial file and its checkpoint, locks both, and trusts what is proven.
    ///
    /// `allowsWeakResume`: whether to resume although no validator can prove that the server's file
    /// is unchanged, because its bytes will be compared or a digest will prove it at the end.
    /// `reportsRenaming`: whether to note that the checkpoint was written for another name.
    package static func recover(
        _ paths: DownloadPaths,
        allowsWeakResume: Bool = false,
        reportsRenaming: Bool = true,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> RecoveredStore {
        // Another process may rename or remove one of the two meanwhile, which ends soon.
        for _ in 0..<8 {
            if let found = try check(paths, allowsWeakResume, reportsRenaming, settings) {
                return found
            }
        }
        throw FileLock.taken(paths.partial)
    }

    /// Returns `nil` if the files have just gone and must be looked for again.
    private static func check(
        _ paths: DownloadPaths,
        _ allowsWeakResume: Bool,
        _ reportsRenaming: Bool,
        _ settings: StoreSettings
    ) throws(DownloadError) -> RecoveredStore? {
        let partialStatus = try status(paths.partial)
        if let partialStatus, !partialStatus.isRegular { return .foreignPartial }
        guard let checkpointStatus = try status(paths.checkpoint) else {
            return partialStatus == nil ? .nothing(notes: []) : .foreignPartial
        }
        guard areOwn([partialStatus, checkpointStatus], paths) else { return .foreignPartial }
        let partial = try FileLock.open(paths.partial)
        guard checkpointStatus.isRegular else {
            return try setAside(paths, .foreign, hasPartial: partial != nil)
        }
        guard let checkpoint = try FileLock.open(paths.checkpoint) else { return nil }
        // Another user may have replaced the files since.
        let opened: [FileStatus?] = try [
            attempt(.inspect, paths.partial, partial?.status()),
            attempt(.inspect, paths.checkpoint, checkpoint.status()),
        ]
        guard areOwn(opened, paths) else { return .foreignPartial }
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
                allowsWeakResume: allowsWeakResume,
                reportsRenaming: reportsRenaming
            )
        }
    }

    private static func resume(
        _ paths: DownloadPaths,
        _ checkpoint: Checkpoint,
        _ checkpointFile: CheckpointFile,
        _ partial: OpenFile?,
        _ settings: StoreSettings,
        allowsWeakResume: Bool,
        reportsRenaming: Bool
    ) throws(DownloadError) -> RecoveredStore {
        // It is left from a rewrite of the checkpoint that was killed.
        try? CheckpointFile.draft(of: paths.checkpoint).removeFile()
        var recovery = Recovery(
            representation: checkpoint.representation,
            source: checkpoint.source,
            have: RangeSet(),
            notes: []
        )
        var claims = ClaimLedger(of: checkpoint)
        guard let partial else {
            recovery.notes = ["the checkpoint's partial file is missing: fetching everything again"]
            let store = try PartialCreation.create(paths, checkpointFile, claims, settings)
            return .resumable(store, recovery)
        }
        if reportsRenaming, checkpoint.targetName != paths.targetName {
            // Tails and validators still prove which download its bytes belong to.
            let name = FilePath(bytes: checkpoint.targetName)
            recovery.notes.append("the checkpoint was written for \(name), not \(paths.final)")
        }
        if let obstacle = obstacle(checkpoint.representation, allowsWeakResume) {
            recovery.notes.append(obstacle)
        } else {
            let check = TailCheck(checkpoint, in: partial, boot: settings.boot)
            recovery.have = check.usable
            recovery.notes += Recovery.notes(checkpoint, check)
            claims.durable = check.durable
        }
        claims.written = recovery.have
        let files = CheckpointedFile(
            partial,
            claims,
            isNamed: true,
            checkpoint: checkpointFile,
            latest: recovery.have.isEmpty ? nil : checkpoint
        )
        return .resumable(PartialStore(paths, files, settings), recovery)
    }

    private static func obstacle(
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

    // MARK: - Setting aside

    /// Sets aside the files of an earlier run, because the user does not want to resume it.
    package static func setAside(
        _ paths: DownloadPaths,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> RecoveredStore {
        let recovered = try recover(paths, settings: settings)
        guard case .resumable(let store, _) = recovered else { return recovered }
        // The lock is held until the names have changed.
        defer { store.close() }
        return try setAside(paths, .unwanted, hasPartial: store.isNamed)
    }

    /// Moves unusable files out of the way without deleting them.
    ///
    /// The caller holds the locks.
    static func setAside(
        _ paths: DownloadPaths,
        _ flaw: CheckpointFlaw,
        hasPartial: Bool
    ) throws(DownloadError) -> RecoveredStore {
        let fault = "the checkpoint \(paths.checkpoint) \(flaw.sentence)"
        if !hasPartial, case .torn = flaw {
            // A damaged checkpoint without a file is of no use to anybody.
            try attempt(.remove, paths.checkpoint, paths.checkpoint.removeFile())
            return .nothing(notes: ["\(fault); it had no partial file and was removed"])
        }
        let kept = try FreeName.search(from: 1) { (number) throws(DownloadError) -> FilePath? in
            let aside = paths.setAside(number)
            return try attempt(.rename, aside.partial) { () throws(Errno) in
                guard try aside.partial.status() == nil, try aside.checkpoint.status() == nil else {
                    return nil
                }
                do throws(Errno) {
                    if hasPartial { try Renaming.withoutReplacing(paths.partial, aside.partial) }
                } catch .fileExists {
                    return nil
                }
                try Renaming.withoutReplacing(paths.checkpoint, aside.checkpoint)
                return hasPartial ? aside.partial : aside.checkpoint
            }
        }
        if let kept {
            return .nothing(notes: ["\(fault); the files are kept as \(kept)"])
        }
        throw DownloadError(
            .fileExists,
            "\(paths.partial).1 to .\(FreeName.limit - 1) all exist",
            advice: "remove the files that are no longer needed",
            context: fault
        )
    }

    // MARK: - Other tools' files

    /// Takes over another tool's partial file, all of which is assumed to be the beginning of the
    /// file.
    ///
    /// Nothing is known of its bytes except that a digest will prove them at the end. The file
    /// stays as it is, without a checkpoint, until the first claim.
    ///
    /// Returns `nil` if there is no such file, or it is not a regular file of this user.
    package static func adopt(
        _ paths: DownloadPaths,
        source: String,
        representation: Representation,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> (store: PartialStore, recovery: Recovery)? {
        let status = try attempt(.open, paths.partial, paths.partial.status())
        guard let status, status.isRegular, areOwn([status], paths),
            let file = try FileLock.open(paths.partial)
        else { return nil }
        let opened = try attempt(.open, paths.partial, file.status())
        // Under another name, the file may be in a folder where nothing may be written.
        guard areOwn([opened], paths), opened.linkCount == 1 else { return nil }
        let size = opened.size
        let have = RangeSet(ByteRange(0, size))
        var claims = ClaimLedger(source: source, representation: representation)
        claims.written = have
        let recovery = Recovery(
            representation: representation,
            source: source,
            have: have,
            notes: [
                "resuming \(paths.partial), \(size) bytes of another tool; the checksum of the "
                    + "finished file will verify them"
            ],
            isForeign: true
        )
        let store = PartialStore(paths, CheckpointedFile(file, claims, isNamed: true), settings)
        return (store, recovery)
    }

    /// Whether all files that exist belong to the user of this process.
    static func areOwn(_ files: [FileStatus?], _ paths: DownloadPaths) -> Bool {
        files.allSatisfy { $0.map { FileOwnership.isOwn($0, in: paths.folder) } ?? true }
    }

    static func status(_ path: FilePath) throws(DownloadError) -> FileStatus? {
        try attempt(.open, path, path.status())
    }
}
