internal import Glibc
package import PawlCore
internal import SystemPackage
internal import Synchronization

/// The owner of one partial file, its lock and its checkpoint.
///
/// All calls block. `write` and `read` take no lock and may run on any number of threads; claims
/// and syncs may overlap with them and with each other.
package final class PartialStore: Sendable {
    let file: OpenFile
    let settings: StoreSettings
    let state: Mutex<State>
    let names: Mutex<Names>
    /// Held while data are synced: the kernel reports a failure only once, to one of the callers.
    let syncTurn = Mutex<Void>(())

    /// The names of the files.
    ///
    /// They have a separate lock, because errors use them while the state is locked.
    struct Names: Sendable {
        var paths: DownloadPaths
        /// Returns the names to try if these are taken; `nil` tries none.
        var next: NextName?
        var whenRenamed: (@Sendable (PartialStore) -> Void)?
    }

    struct State: Sendable {
        /// Whether the store is closed, so that nothing is claimed or renamed any more.
        var isClosed = false
        /// Whether the partial file has its name in the folder.
        var isNamed = false
        /// Whether that name is durable.
        var isNameDurable = false
        var source: String
        var mark: SourceMark?
        var representation: Representation
        var createdAt: Int64
        var written = RangeSet()
        var durable = RangeSet()
        /// A number that changes when bytes written before no longer count: after a reset, or a
        /// failed sync.
        var epoch = 0
        var tails = TailCache()
        var checkpoint: CheckpointFile?
        /// The newest written checkpoint; `nil` if there is none in the folder.
        var latest: Checkpoint?
    }

    init(
        _ paths: DownloadPaths,
        file: OpenFile,
        settings: StoreSettings,
        state: State,
        next: NextName? = nil
    ) {
        names = Mutex(Names(paths: paths, next: next))
        self.file = file
        self.settings = settings
        self.state = Mutex(state)
    }

    /// The paths of the files, now or as soon as they have names.
    package var paths: DownloadPaths { names.withLock { $0.paths } }

    /// The ranges that survive a power cut.
    package var durable: RangeSet { state.withLock { $0.durable } }

    package var representation: Representation { state.withLock { $0.representation } }

    /// The content of the checkpoint in the folder; `nil` if there is none, or none any more.
    package var latestCheckpoint: Checkpoint? { state.withLock { $0.latest } }

    /// Writes bytes at their offset.
    ///
    /// The caller has proven that they belong there.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DownloadError) {
        do throws(Errno) {
            try file.write(bytes, at: offset)
        } catch {
            throw writeFailure(error, byteCount: bytes.count)
        }
    }

    /// Writes a small file from its beginning, without its first `start` bytes.
    package func write(_ bytes: [UInt8], from start: Int64 = 0) throws(DownloadError) {
        guard start < Int64(bytes.count) else { return }
        let failure: DownloadError? = bytes.withUnsafeBytes { buffer in
            let rest = UnsafeRawBufferPointer(rebasing: buffer[Int(max(0, start))...])
            do throws(DownloadError) { try write(rest, at: max(0, start)) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// Reads bytes.
    ///
    /// Returns their number, which is less than requested only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> Int {
        do throws(Errno) {
            return try file.read(into: buffer, at: offset)
        } catch {
            throw DownloadError(error, while: .read, paths.partial)
        }
    }

    /// Stores what was learned later: the total, or that the entity tag cannot be used.
    ///
    /// The next claim contains it.
    package func setRepresentation(_ representation: Representation) {
        state.withLock { $0.representation = representation }
    }

    /// Stores the mark of the download's URL for the next claim.
    package func setMark(_ mark: SourceMark) { state.withLock { $0.mark = mark } }

    /// Releases the lock, and keeps what was claimed.
    ///
    /// A partial file without any claim has no name and disappears.
    package func close() {
        state.withLock { close(&$0) }
    }

    /// Deletes the partial file and its checkpoint.
    package func discard() throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            guard !state.isClosed else { return }
            // The order matters: a partial file without a checkpoint would look like another
            // tool's.
            if state.isNamed, try namesOurs(paths.partial, file) { try remove(paths.partial) }
            try removeCheckpoint(&state)
            close(&state)
        }
    }

    func close(_ state: inout State) {
        guard !state.isClosed else { return }
        state.isClosed = true
        letGo(&state)
    }

    func letGo() { state.withLock { letGo(&$0) } }

    func letGo(_ state: inout State) {
        if let checkpoint = state.checkpoint { FileLock.release(checkpoint.file) }
        state.checkpoint = nil
        if state.isNamed { FileLock.release(file) }
    }

    func removeCheckpoint(_ state: inout State) throws(DownloadError) {
        guard let checkpoint = state.checkpoint else { return }
        if try namesOurs(paths.checkpoint, checkpoint.file) { try remove(paths.checkpoint) }
        FileLock.release(checkpoint.file)
        state.checkpoint = nil
        state.latest = nil
    }

    /// Whether the path is still a name of the file, which somebody may have moved or replaced.
    func namesOurs(_ path: FilePath, _ file: OpenFile) throws(DownloadError) -> Bool {
        try attempt(.read, path) { () throws(Errno) in
            try path.status()?.identity == file.status().identity
        }
    }

    private func remove(_ path: FilePath) throws(DownloadError) {
        try attempt(.remove, path) { () throws(Errno) in try path.removeFile() }
    }
}
