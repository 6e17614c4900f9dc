package import struct FoundationEssentials.URL
internal import Glibc
package import PawlCore
package import SystemPackage

/// What resume data lead to.
package enum RestoredStore: Sendable {
    case resumable(PartialStore, Recovery)
    /// Nothing was touched.
    case obstacle(ResumeObstacle)
}

/// Where a download is to go on.
package struct RestorePlace: Sendable {
    /// The partial file now.
    package var partial: FilePath
    /// The finished file.
    package var final: FilePath
    /// The names to try for the partial file, 0 for `final` itself.
    package var numbered: @Sendable (Int) -> FilePath
    /// Called before each piece of a copy from another file system, which it ends with what it throws.
    package var onPiece: @Sendable () throws(DownloadError) -> Void

    package init(
        partial: FilePath,
        final: FilePath,
        numbered: @escaping @Sendable (Int) -> FilePath,
        onPiece: @escaping @Sendable () throws(DownloadError) -> Void = {}
    ) {
        self.partial = partial
        self.final = final
        self.numbered = numbered
        self.onPiece = onPiece
    }
}

/// Going on with what resume data say of a partial file.
extension PartialStore {
    /// Takes the lock, believes what is proven, and moves the file where its download is to be.
    ///
    /// A sound checkpoint beside the file is at least as new as the resume data: it counts, if it is
    /// of the same representation. Without one the ends of the claimed ranges tell whose the bytes
    /// are.
    ///
    /// `urls`: those that the download may have been begun with. Another's partial file that has come to
    /// lie there since is gone on with only where validators prove it to be the same.
    package static func restore(
        _ checkpoint: Checkpoint,
        of urls: [URL]? = nil,
        at place: RestorePlace,
        allowsWeakResume: Bool = false,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> RestoredStore {
        guard let status = try Self.status(place.partial), status.isRegular,
            let partial = try openLocked(place.partial)
        else { return .obstacle(.partialFileMissing) }
        switch try image(beside: place.partial) {
        case .sound(let found, _, _)?:
            guard checkpoint.representation.compare(found.representation) == .same else {
                return .obstacle(.changedOnServer)
            }
            guard
                urls.map({ found.isOf($0) }) != false
                    || checkpoint.representation.isProvenSame(found.representation)
            else { return .obstacle(.partialFileMissing) }
            let (paths, file) = try bring(partial, to: place)
            FileLock.release(file)
            return try recovered(paths, allowsWeakResume, settings)
        case .unusable(let flaw)?:
            return try restore(checkpoint, partial, at: place, flaw, settings)
        case nil:
            return try restore(checkpoint, partial, at: place, nil, settings)
        }
    }

    private static func recovered(
        _ paths: DownloadPaths,
        _ allowsWeakResume: Bool,
        _ settings: StoreSettings
    ) throws(DownloadError) -> RestoredStore {
        let found = try recover(paths, allowsWeakResume: allowsWeakResume, settings: settings)
        guard case .resumable(let store, let recovery) = found else {
            return .obstacle(.partialFileMissing)
        }
        guard recovery.have.isEmpty else { return .resumable(store, recovery) }
        store.close()
        return .obstacle(.partialFileChanged)
    }

    /// The resume data stand for the checkpoint, which is gone or cannot be used.
    private static func restore(
        _ checkpoint: Checkpoint,
        _ partial: OpenFile,
        at place: RestorePlace,
        _ flaw: CheckpointFlaw?,
        _ settings: StoreSettings
    ) throws(DownloadError) -> RestoredStore {
        let check = TailCheck(checkpoint, in: partial, boot: settings.boot)
        guard !check.usable.isEmpty else { return .obstacle(.partialFileChanged) }
        let (paths, file) = try bring(partial, to: place)
        var notes = Recovery.notes(checkpoint, check)
        if let flaw, case .nothing(let said) = try setAside(paths, flaw, hasPartial: false) {
            notes += said
        }
        var state = State(
            source: checkpoint.source,
            representation: checkpoint.representation,
            createdAt: checkpoint.createdAt
        )
        state.mark = checkpoint.mark
        state.durable = check.durable
        return try owned(file, paths, state, have: check.usable, notes, settings)
    }

    /// The end of what another program says to have fetched is fetched again.
    ///
    /// So the server always has bytes to send, and confirms with them of what they are.
    private static let overlap: Int64 = 4096

    /// Takes over the beginning of a file that another program says to have fetched.
    ///
    /// Nothing here proves its bytes: the caller joins them with others only where the server
    /// confirms the representation.
    package static func takeOver(
        beginning: Int64,
        of representation: Representation,
        source: String,
        at place: RestorePlace,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> RestoredStore {
        guard beginning > overlap else { return .obstacle(.nothingReceived) }
        guard let status = try Self.status(place.partial), status.isRegular,
            let partial = try openLocked(place.partial)
        else { return .obstacle(.partialFileMissing) }
        let size = try attempt(.open, place.partial) { () throws(Errno) in
            try partial.status().size
        }
        guard size >= beginning else { return .obstacle(.partialFileChanged) }
        let (paths, file) = try bring(partial, to: place)
        let state = State(
            source: source,
            representation: representation,
            createdAt: Int64(time(nil))
        )
        let have = RangeSet(ByteRange(0, beginning - overlap))
        let notes = ["\(paths.partial), \(have.count) bytes of another program, is gone on with"]
        return try owned(file, paths, state, have: have, notes, settings)
    }

    /// Known as ours from now on: without a checkpoint it would look like another tool's.
    private static func owned(
        _ partial: OpenFile,
        _ paths: DownloadPaths,
        _ state: State,
        have: RangeSet,
        _ notes: [String],
        _ settings: StoreSettings
    ) throws(DownloadError) -> RestoredStore {
        var state = state
        state.written = have
        state.isNamed = true
        let store = PartialStore(paths, file: partial, settings: settings, state: state)
        try store.saveCheckpoint(written: have)
        let recovery = Recovery(
            representation: state.representation,
            source: state.source,
            have: have,
            notes: notes
        )
        return .resumable(store, recovery)
    }

    private static func image(
        beside partial: FilePath
    ) throws(DownloadError) -> CheckpointImage? {
        let path = checkpointPath(of: partial)
        guard let status = try Self.status(path) else { return nil }
        guard status.isRegular else { return .unusable(.foreign) }
        let bytes = try attempt(.inspect, path) { () throws(Errno) in
            try OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
                .contents(limit: CheckpointImage.longest)
        }
        return CheckpointImage(bytes)
    }
}
