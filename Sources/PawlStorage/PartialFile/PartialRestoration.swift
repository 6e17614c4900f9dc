package import struct FoundationEssentials.URL
internal import Glibc
package import PawlCore
package import SystemPackage

/// The result of using resume data.
package enum RestoredStore: Sendable {
    case resumable(PartialStore, Recovery)
    /// The data cannot be used, and nothing was changed.
    case obstacle(ResumeObstacle)
}

/// The paths of a resumed download.
package struct RestoreTarget: Sendable {
    /// The current path of the partial file.
    package var partial: FilePath
    /// Whether the caller has named the partial file itself.
    ///
    /// A path in resume data may lead to any file of the user, so that file must prove to be a
    /// partial file.
    package var isGiven: Bool
    /// The path of the partial file before somebody moved it; `nil` if it is not known.
    ///
    /// Its checkpoint may still be there.
    package var former: FilePath?
    /// The path of the finished file.
    package var final: FilePath
    /// The names to try for the partial file; number 0 is `final` itself.
    package var numbered: @Sendable (Int) -> FilePath
    /// Called before each piece of a copy from another file system.
    ///
    /// An error that it throws ends the copy.
    package var onPiece: @Sendable () throws(DownloadError) -> Void

    package init(
        partial: FilePath,
        isGiven: Bool = true,
        former: FilePath? = nil,
        final: FilePath,
        numbered: @escaping @Sendable (Int) -> FilePath,
        onPiece: @escaping @Sendable () throws(DownloadError) -> Void = {}
    ) {
        self.partial = partial
        self.isGiven = isGiven
        self.former = former
        self.final = final
        self.numbered = numbered
        self.onPiece = onPiece
    }
}

/// Resumes a partial file that resume data describes.
package enum PartialRestoration {
    /// Locks the file, trusts what is proven, and moves the file to the download's path.
    ///
    /// A valid checkpoint beside the file is at least as new as the resume data, so it is used if
    /// it describes the same representation. Without a checkpoint, the ends of the claimed ranges
    /// show which download the bytes belong to.
    ///
    /// `urls` are those with which the download may have begun. If another download's partial file
    /// is there now, it is resumed only if validators prove it to be of the same file.
    package static func restore(
        _ checkpoint: Checkpoint,
        of urls: [URL]? = nil,
        at target: RestoreTarget,
        allowsWeakResume: Bool = false,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> RestoredStore {
        guard let partial = try open(target.partial) else {
            return .obstacle(.partialFileMissing)
        }
        var image = try image(beside: target.partial)
        if image == nil, let left = try leftImage(at: target),
            case .sound(let found, _, _) = left,
            checkpoint.representation.compare(found.representation) == .same,
            isOfSameDownload(checkpoint, found, urls)
        {
            try PartialRelocation.moveLeftCheckpoint(to: target)
            image = left
        }
        switch image {
        case .sound(let found, _, _)?:
            guard checkpoint.representation.compare(found.representation) == .same else {
                return .obstacle(.changedOnServer)
            }
            guard isOfSameDownload(checkpoint, found, urls) else {
                return .obstacle(.partialFileMissing)
            }
            let (paths, file) = try PartialRelocation.relocate(partial, to: target)
            file.unlock()
            return try recovered(paths, allowsWeakResume, settings)
        case .unusable(let flaw)?:
            return try restore(checkpoint, partial, at: target, flaw, settings)
        case nil:
            return try restore(checkpoint, partial, at: target, nil, settings)
        }
    }

    /// Whether a checkpoint that was found is of a download with one of these URLs, or validators
    /// prove that it is of the same file as the given one.
    private static func isOfSameDownload(
        _ given: Checkpoint,
        _ found: Checkpoint,
        _ urls: [URL]?
    ) -> Bool {
        guard let urls, !found.isOf(urls) else { return true }
        return given.representation.isProvenSame(found.representation)
    }

    /// Returns the checkpoint that stayed when somebody moved the partial file without it.
    private static func leftImage(
        at target: RestoreTarget
    ) throws(DownloadError) -> CheckpointImage? {
        guard let former = target.former, former != target.partial,
            try PartialRecovery.status(former) == nil
        else { return nil }
        return try image(beside: former)
    }

    /// Opens and locks the file; `nil` if there is no regular file of this user.
    private static func open(_ path: FilePath) throws(DownloadError) -> OpenFile? {
        guard let status = try PartialRecovery.status(path), status.isRegular,
            FileOwnership.isOwn(status, in: path.folder), let file = try FileLock.open(path)
        else { return nil }
        // Another user may have replaced the file since.
        let opened = try attempt(.open, path, file.status())
        return FileOwnership.isOwn(opened, in: path.folder) ? file : nil
    }

    private static func recovered(
        _ paths: DownloadPaths,
        _ allowsWeakResume: Bool,
        _ settings: StoreSettings
    ) throws(DownloadError) -> RestoredStore {
        let found = try PartialRecovery.recover(
            paths,
            allowsWeakResume: allowsWeakResume,
            // The caller has chosen the other name.
            reportsRenaming: false,
            settings: settings
        )
        guard case .resumable(let store, let recovery) = found else {
            return .obstacle(.partialFileMissing)
        }
        guard recovery.have.isEmpty else { return .resumable(store, recovery) }
        store.close()
        return .obstacle(.partialFileChanged)
    }

    /// Uses the resume data in place of the checkpoint, which is missing or cannot be used.
    private static func restore(
        _ checkpoint: Checkpoint,
        _ partial: OpenFile,
        at target: RestoreTarget,
        _ flaw: CheckpointFlaw?,
        _ settings: StoreSettings
    ) throws(DownloadError) -> RestoredStore {
        guard target.isGiven || target.partial.removing(suffix: ".part") != nil else {
            return .obstacle(.partialFileMissing)
        }
        let check = TailCheck(checkpoint, in: partial, boot: settings.boot)
        let proof = target.isGiven ? 1 : shortestProof
        guard check.usable.count >= proof else { return .obstacle(.partialFileChanged) }
        let (paths, file) = try PartialRelocation.relocate(partial, to: target)
        var notes = Recovery.notes(checkpoint, check)
        if let flaw,
            case .nothing(let said) = try PartialRecovery.setAside(
                paths,
                flaw,
                hasPartial: false
            )
        {
            notes += said
        }
        var claims = ClaimLedger(of: checkpoint)
        claims.durable = check.durable
        return try owned(file, paths, claims, have: check.usable, notes, settings)
    }

    /// The minimum number of bytes by which resume data without a checkpoint identifies a file.
    ///
    /// Anybody can guess the first bytes of a file.
    private static let shortestProof: Int64 = 4096

    /// The number of bytes at the end of another program's data that are fetched again.
    ///
    /// So the server always has bytes to send, and thereby confirms which file they are of.
    private static let overlap: Int64 = 4096

    /// Takes over the beginning of a file that another program claims to have fetched.
    ///
    /// Nothing here proves its bytes: the caller joins them with others only if the server confirms
    /// the representation.
    package static func takeOver(
        beginning: Int64,
        of representation: Representation,
        source: String,
        at target: RestoreTarget,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> RestoredStore {
        guard beginning > overlap else { return .obstacle(.nothingReceived) }
        guard target.isGiven || isAppleTemporary(target.partial),
            let partial = try open(target.partial)
        else { return .obstacle(.partialFileMissing) }
        let size = try attempt(.open, target.partial, partial.status().size)
        guard size >= beginning else { return .obstacle(.partialFileChanged) }
        let (paths, file) = try PartialRelocation.relocate(partial, to: target)
        let claims = ClaimLedger(source: source, representation: representation)
        let have = RangeSet(ByteRange(0, beginning - overlap))
        let notes = ["resuming \(paths.partial), \(have.count) bytes of another program"]
        return try owned(file, paths, claims, have: have, notes, settings)
    }

    private static func isAppleTemporary(_ path: FilePath) -> Bool {
        path.nameBytes.starts(with: "CFNetworkDownload_".utf8)
            && path.removing(suffix: ".tmp") != nil
    }

    /// Makes the file ours: without a checkpoint it would look like another tool's.
    private static func owned(
        _ partial: OpenFile,
        _ paths: DownloadPaths,
        _ claims: ClaimLedger,
        have: RangeSet,
        _ notes: [String],
        _ settings: StoreSettings
    ) throws(DownloadError) -> RestoredStore {
        let files = CheckpointedFile(partial, claims, isNamed: true)
        let store = PartialStore(paths, files, settings)
        try store.saveCheckpoint(written: have)
        let recovery = Recovery(
            representation: claims.representation,
            source: claims.source,
            have: have,
            notes: notes
        )
        return .resumable(store, recovery)
    }

    private static func image(
        beside partial: FilePath
    ) throws(DownloadError) -> CheckpointImage? {
        let path = PartialRelocation.checkpointPath(of: partial)
        guard let status = try PartialRecovery.status(path) else { return nil }
        guard status.isRegular, FileOwnership.isOwn(status, in: path.folder) else {
            return .unusable(.foreign)
        }
        let bytes = try attempt(
            .inspect,
            path,
            OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
                .contents(limit: CheckpointImage.longest)
        )
        return CheckpointImage(bytes)
    }
}
