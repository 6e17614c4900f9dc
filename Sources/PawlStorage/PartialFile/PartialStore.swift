internal import Glibc
package import PawlCore
internal import SystemPackage
internal import Synchronization

/// The owner of one partial file, its lock and its checkpoint.
///
/// All calls block. `write` and `read` take no lock and may run on any number of threads; claims
/// and syncs may overlap with them and with each other.
package final class PartialStore: Sendable {
    private struct State: Sendable {
        /// Whether the store is closed, so that nothing is claimed or renamed any more.
        var isClosed = false
        /// Whether the name is durable.
        var isNameDurable = false
        var files: CheckpointedFile

        func isCurrent(_ epoch: Int?) -> Bool {
            !isClosed && (epoch ?? files.claims.epoch) == files.claims.epoch
        }
    }

    private let data: DataFile
    private let names: StoreNames
    private let settings: StoreSettings
    private let state: Mutex<State>
    /// Held while data is synced: the kernel reports a failure only once, to one of the callers.
    private let syncTurn = Mutex<Void>(())

    init(
        _ paths: DownloadPaths,
        _ files: CheckpointedFile,
        _ settings: StoreSettings,
        next: NextName? = nil
    ) {
        names = StoreNames(paths, next: next)
        data = DataFile(files.file, names)
        self.settings = settings
        state = Mutex(State(files: files))
    }

    /// Returns the error for names that are taken, with their owner.
    package static func taken(_ paths: DownloadPaths) -> DownloadError {
        FileLock.taken(paths.partial)
    }

    var file: OpenFile { data.file }

    /// The paths of the files, now or as soon as they have names.
    package var paths: DownloadPaths { names.paths }

    /// Sets a callback for the case that the files get other names than those in `paths`.
    ///
    /// The callback must call nothing of the store except its paths.
    package func onRename(_ body: @escaping @Sendable (PartialStore) -> Void) {
        names.whenChanged(body)
    }

    /// The ranges that survive a power cut.
    package var durable: RangeSet { state.withLock { $0.files.claims.durable } }

    package var representation: Representation {
        state.withLock { $0.files.claims.representation }
    }

    /// The content of the checkpoint in the folder; `nil` if there is none, or none any more.
    package var latestCheckpoint: Checkpoint? { state.withLock { $0.files.latest } }

    /// A number that changes when bytes written before no longer count: after a reset, or a failed
    /// sync.
    package var trustEpoch: Int { state.withLock { $0.files.claims.epoch } }

    /// Whether the partial file has its name in the folder.
    var isNamed: Bool { state.withLock { $0.files.isNamed } }

    // MARK: - The bytes

    /// Writes bytes at their offset.
    ///
    /// The caller has proven that they belong there.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DownloadError) {
        // The length is needed, and its lock taken, only for the error of a full disk.
        try data.write(bytes, at: offset, total: representation.total)
    }

    /// Writes a small file from its beginning, without its first `start` bytes.
    package func write(_ bytes: [UInt8], from start: Int64 = 0) throws(DownloadError) {
        guard start < Int64(bytes.count) else { return }
        try bytes.span.withUnsafeBytes { (bytes) throws(DownloadError) in
            let rest = bytes[Int(max(0, start))...]
            try write(UnsafeRawBufferPointer(rebasing: rest), at: max(0, start))
        }
    }

    /// Reads bytes.
    ///
    /// Returns their number, which is less than requested only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> Int {
        try data.read(into: buffer, at: offset)
    }

    /// Whether the partial file contains these bytes at that offset.
    ///
    /// It takes no lock and allocates no memory.
    package func holds(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> Bool {
        try data.holds(bytes, at: offset)
    }

    /// Starts writing to the disk, so that the next sync has little to wait for.
    package func startWriteback() { data.startWriteback() }

    /// Reserves space for the whole file.
    ///
    /// If there is too little, `.diskFull` contains the number of missing bytes.
    ///
    /// The file gets its full length if the file system can reserve space.
    package func reserve(total: Int64) throws(DownloadError) { try data.reserve(total: total) }

    /// Returns the space of bytes that nobody needs any more to the file system.
    package func drop(_ range: ByteRange) { data.drop(range) }

    /// Removes what was appended to an adopted file.
    package func cut(to size: Int64) throws(DownloadError) { try data.cut(to: size) }

    // MARK: - Claims

    /// Stores what was learned later: the total, or that the entity tag cannot be used.
    ///
    /// The next claim contains it.
    package func setRepresentation(_ representation: Representation) {
        state.withLock { $0.files.claims.representation = representation }
    }

    /// The mark of the download's URL; `nil` if an earlier version began the file.
    package var mark: SourceMark? { state.withLock { $0.files.claims.mark } }

    /// Stores the mark of the download's URL for the next claim.
    package func setMark(_ mark: SourceMark) {
        state.withLock { $0.files.claims.mark = mark }
    }

    /// Claims that these ranges are written, so that they survive a kill.
    ///
    /// It syncs nothing. The first claim gives the partial file its name.
    ///
    /// `epoch` is the epoch in which the ranges were written. If it has passed, nothing is done.
    package func saveCheckpoint(
        written: RangeSet,
        epoch: Int? = nil
    ) throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            guard state.isCurrent(epoch) else { return }
            state.files.claims.written = written
            try save(&state)
        }
    }

    /// Restricts the claims to these ranges.
    ///
    /// The next checkpoint contains the change.
    package func restrict(to kept: RangeSet) {
        state.withLock { $0.files.claims.restrict(to: kept) }
    }

    /// Makes these ranges durable and then claims them as durable, so that they survive a power
    /// cut.
    ///
    /// If the disk fails, everything that was not durable before is no longer claimed and must be
    /// fetched again: after a failed sync the kernel's pages cannot be trusted.
    ///
    /// `epoch` is the epoch in which the ranges were written. If it has passed, nothing is done.
    package func sync(written: RangeSet, epoch: Int? = nil) throws(DownloadError) {
        let start: (epoch: Int, isNameDurable: Bool)? = try state.withLock {
            (state) throws(DownloadError) in
            guard state.isCurrent(epoch) else { return nil }
            state.files.claims.written.formUnion(written)
            if !state.files.isNamed { try save(&state) }
            return (state.files.claims.epoch, state.isNameDurable)
        }
        guard let start else { return }
        try syncTurn.withLock { (_) throws(DownloadError) in
            // The file may have been emptied while this waited.
            guard state.withLock({ $0.isCurrent(start.epoch) }) else { return }
            // Naming the file has changed more than its data.
            try syncFile(fully: !start.isNameDurable)
            try claimDurable(written, epoch: start.epoch)
        }
    }

    /// Makes a complete file durable.
    ///
    /// `epoch` is the epoch in which its last byte was written. Throws if it has passed.
    func syncWhole(epoch: Int) throws(DownloadError) {
        try syncTurn.withLock { (_) throws(DownloadError) in
            // If another sync failed while this one waited, it has received the kernel's only
            // report of the failure.
            guard trustEpoch == epoch else {
                throw DownloadError(.ioError, while: .sync, paths.partial)
            }
            try syncFile(fully: true)
        }
    }

    /// Forgets all bytes, because another representation begins.
    ///
    /// The checkpoint durably contains this before the first byte is removed.
    ///
    /// `mark` is that of the source's URL; `nil` keeps the file's mark.
    package func reset(
        representation: Representation,
        source: String,
        mark: SourceMark? = nil
    ) throws(DownloadError) {
        try syncTurn.withLock { (_) throws(DownloadError) in
            let pending: (OpenFile, sequence: UInt64)? = try state.withLock {
                (state) throws(DownloadError) in
                guard !state.isClosed else { return nil }
                state.files.claims.forget(keeping: RangeSet())
                state.files.claims.representation = representation
                state.files.claims.source = source
                if let mark { state.files.claims.mark = mark }
                // An adopted file has no checkpoint yet, and must not be found without one.
                if state.files.isNamed { try save(&state) }
                return state.files.checkpointSyncBegan()
            }
            if let (checkpoint, sequence) = pending {
                try syncCheckpoint(checkpoint, sequence: sequence)
            }
            try data.empty()
        }
    }

    /// Syncs the file.
    ///
    /// Called with `syncTurn` held.
    private func syncFile(fully: Bool) throws(DownloadError) {
        do throws(Errno) {
            let sync = fully ? settings.syncAll : settings.syncData
            try retrying { sync(file.descriptor) }
        } catch {
            distrust()
            throw syncFailure(error)
        }
    }

    private func syncFailure(_ errno: Errno) -> DownloadError {
        let plain = DownloadError(errno, while: .sync, paths.partial)
        guard plain.code != .diskFull else { return plain }
        return DownloadError(
            .diskFailure,
            plain.message,
            advice: plain.guidance,
            context: plain.context
        )
    }

    /// Revokes the claims of everything that was not durable; the checkpoint must not keep them.
    private func distrust() {
        state.withLock { state in
            state.files.claims.forget(keeping: state.files.claims.durable)
            // The failed sync is the error to report. If this fails too, the old claims stay, and
            // their tails are compared before they are trusted.
            try? state.files.update(paths, settings)
        }
    }

    private func claimDurable(_ synced: RangeSet, epoch: Int) throws(DownloadError) {
        let checkpoint: (OpenFile, sequence: UInt64)? = try state.withLock {
            (state) throws(DownloadError) in
            // There was a reset or another failed sync meanwhile, so other bytes were synced than
            // intended.
            guard state.isCurrent(epoch) else { return nil }
            state.files.claims.durable.formUnion(synced)
            try save(&state)
            return state.files.checkpointSyncBegan()
        }
        guard let (checkpointFile, sequence) = checkpoint else { return }
        try syncCheckpoint(checkpointFile, sequence: sequence)
    }

    /// Syncs the checkpoint outside the state's lock, so that claims can continue while the disk is
    /// slow.
    private func syncCheckpoint(
        _ checkpoint: OpenFile,
        sequence: UInt64
    ) throws(DownloadError) {
        let isNameDurable = state.withLock { $0.isNameDurable }
        let result = Result { () throws(Errno) in
            try checkpoint.syncData()
            if !isNameDurable { try paths.folder.syncFolder() }
        }
        state.withLock { state in
            var succeeded = false
            if case .success = result { succeeded = true }
            state.files.checkpointSyncEnded(
                checkpoint,
                sequence: sequence,
                succeeded: succeeded
            )
            state.isNameDurable = state.isNameDurable || succeeded
        }
        try attempt(.sync, paths.checkpoint, result.get())
    }

    private func save(_ state: inout State) throws(DownloadError) {
        try state.files.save(names, settings, of: self)
    }

    // MARK: - The final name

    func adjustSize(to total: Int64) throws(DownloadError) { try data.adjustSize(to: total) }

    /// Returns the mark to store with the finished file; `nil` if the representation cannot be
    /// stored.
    func representationMark(total: Int64, isLengthVerified: Bool = false) -> RepresentationMark? {
        state.withLock { state in
            let claims = state.files.claims
            return RepresentationMark(
                claims.representation,
                total: total,
                source: claims.mark,
                isLengthVerified: isLengthVerified
            )
        }
    }

    /// Gives the partial file its final name without replacing a file.
    ///
    /// Throws `.fileExists` if the name is taken.
    ///
    /// From then on nothing is claimed any more.
    func giveName(_ path: FilePath) throws(DownloadError) {
        try giveFinalName(path) { (isNamed) throws(Errno) in
            guard isNamed else { return try file.link(as: path) }
            try checkName()
            try Renaming.withoutReplacing(paths.partial, path)
        }
    }

    /// Gives the partial file its final name, replacing the existing file in one step.
    func takeName(_ path: FilePath) throws(DownloadError) {
        try giveFinalName(path) { (isNamed) throws(Errno) in
            if isNamed {
                try checkName()
                return try Renaming.replacing(paths.partial, path)
            }
            do throws(Errno) {
                try file.link(as: path)
            } catch .fileExists {
                // Only a file that has a name can replace another in one step.
                let draft = try FilePath.firstFree({ paths.setAside($0).partial }, from: 1) {
                    (draft) throws(Errno) in try file.link(as: draft)
                }
                do throws(Errno) {
                    try Renaming.replacing(draft, path)
                } catch {
                    // The store still has the file; the error that led here is the one to report.
                    try? draft.removeFile()
                    throw error
                }
            }
        }
    }

    private func giveFinalName(
        _ path: FilePath,
        _ give: (_ isNamed: Bool) throws(Errno) -> Void
    ) throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            guard !state.isClosed else {
                throw DownloadError(
                    .renameFailed,
                    "the partial file was closed before",
                    context: "finishing \(paths.final)"
                )
            }
            do throws(Errno) {
                try give(state.files.isNamed)
            } catch {
                throw namingError(error, path, state)
            }
            state.isClosed = true
        }
    }

    /// Returns the reason why a file could not be named: others may have removed the partial file
    /// meanwhile.
    private func namingError(_ errno: Errno, _ path: FilePath, _ state: State) -> DownloadError {
        guard errno == .noSuchFileOrDirectory, state.files.isLost(paths) else {
            return DownloadError(errno, while: .rename, path)
        }
        return DownloadError(
            .renameFailed,
            "\(paths.partial) was removed or replaced while it was being downloaded",
            advice: "\(.runAgain): it starts over",
            context: DiskAction.rename.text(path)
        )
    }

    /// Whether the partial file is where the next run looks for it.
    package var isInPlace: Bool { state.withLock { !$0.files.isLost(paths) } }

    /// Checks the name.
    ///
    /// If somebody else has put a file at this path, a rename would finish the wrong file.
    private func checkName() throws(Errno) {
        guard try paths.partial.status()?.identity == file.status().identity else {
            throw .noSuchFileOrDirectory
        }
    }

    // MARK: - The end

    /// Removes the checkpoint of a file that has its final name, and releases the locks.
    ///
    /// The checkpoint is removed last, and its removal is not synced. If a power cut restores the
    /// checkpoint, recovery recognizes that it no longer has a partial file.
    func conclude() throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            defer { state.files.release() }
            try state.files.removeCheckpoint(paths)
        }
    }

    /// Releases the locks, and keeps what was claimed.
    ///
    /// A partial file without any claim has no name and disappears.
    package func close() { state.withLock { close(&$0) } }

    /// Deletes the partial file and its checkpoint.
    package func discard() throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            guard !state.isClosed else { return }
            try state.files.remove(paths)
            close(&state)
        }
    }

    private func close(_ state: inout State) {
        guard !state.isClosed else { return }
        state.isClosed = true
        state.files.release()
    }

    /// Releases the locks.
    func release() { state.withLock { $0.files.release() } }
}
