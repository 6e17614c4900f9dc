internal import CPlatform
internal import Glibc
internal import PawlCore
internal import SystemPackage

/// An open, locked checkpoint file.
///
/// Its owner must guard the value with a lock, because writing changes its table of slots.
package struct CheckpointFile: Sendable {
    let path: FilePath
    private(set) var file: OpenFile
    private var slotSize: Int
    private var table: SlotTable

    /// Creates the value for a file that was read: `file` is open for writing and locked.
    init(_ file: OpenFile, path: FilePath, slotSize: Int, table: SlotTable) {
        self.file = file
        self.path = path
        self.slotSize = slotSize
        self.table = table
    }

    /// Creates the file with its first checkpoint and its lock.
    ///
    /// It never replaces a file.
    ///
    /// If the file system supports files without a name, the file gets its name last, so no other
    /// process ever sees it empty or without a lock.
    ///
    /// Returns `nil` if the name is taken.
    static func create(
        _ path: FilePath,
        _ checkpoint: Checkpoint,
        startsUnnamed: Bool
    ) throws(DownloadError) -> CheckpointFile? {
        if startsUnnamed,
            let file = try attempt(.create, path, OpenFile.unnamed(in: path.folder))
        {
            let made = try began(file, path, checkpoint)
            try FileLock.take(file, path)
            return try made.takeName() ? made : nil
        }
        return try createNamed(path, checkpoint)
    }

    /// Does what `create` does, on a file system without support for files without a name.
    private static func createNamed(
        _ path: FilePath,
        _ checkpoint: Checkpoint
    ) throws(DownloadError) -> CheckpointFile? {
        for _ in 0..<8 {
            let file: OpenFile
            do throws(Errno) {
                file = try OpenFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
            } catch .fileExists {
                return nil
            } catch {
                throw DownloadError(error, while: .create, path)
            }
            // Until the file is locked, another process may mistake it for a damaged checkpoint.
            let isOurs = try attempt(.lock, path) { () throws(Errno) in
                guard try FileLock.tryToTake(file) != .held else { return false }
                return try path.status()?.identity == file.status().identity
            }
            guard isOurs else { continue }
            do throws(DownloadError) {
                return try began(file, path, checkpoint)
            } catch {
                // The file is empty; the first error is the one to report.
                try? path.removeFile()
                throw error
            }
        }
        return nil
    }

    private static func began(
        _ file: OpenFile,
        _ path: FilePath,
        _ checkpoint: Checkpoint
    ) throws(DownloadError) -> CheckpointFile {
        let length = checkpoint.encoded.count
        var slotSize = CheckpointLimits.usualSlot
        // A file without a name cannot be replaced by a larger one.
        if length > CheckpointSlot.room(in: slotSize) { slotSize = Self.slotSize(for: length) }
        try attempt(.write, path, file.writeHeader(slotSize))
        var made = CheckpointFile(file, path: path, slotSize: slotSize, table: SlotTable())
        try made.write(checkpoint)
        return made
    }

    /// Gives the file its name.
    ///
    /// Returns `false` if the name is taken.
    private func takeName() throws(DownloadError) -> Bool {
        do throws(Errno) {
            try file.link(as: path)
            return true
        } catch .fileExists {
            return false
        } catch {
            throw DownloadError(error, while: .create, path)
        }
    }

    /// Writes the next checkpoint into a slot that is not needed, without a sync.
    mutating func write(_ checkpoint: Checkpoint) throws(DownloadError) {
        let payload = checkpoint.encoded
        guard payload.count <= CheckpointSlot.room(in: slotSize) else {
            return try rewrite(payload)
        }
        let slot = table.nextSlot
        let sequence = table.newestSequence + 1
        let bytes = CheckpointSlot.encode(
            .init(sequence: sequence, syncedSequence: table.syncedSequence),
            payload: payload
        )
        let offset = CheckpointHeader.length + slot * slotSize
        let file = file
        table.writeBegan(in: slot)
        try attempt(.write, path, file.write(bytes, at: Int64(offset)))
        table.writeEnded(in: slot, sequence: sequence)
    }

    /// Returns the file and the sequence to sync, outside any lock.
    mutating func syncBegan() -> (OpenFile, sequence: UInt64) { (file, table.syncBegan()) }

    mutating func syncEnded(_ synced: OpenFile, sequence: UInt64, succeeded: Bool) {
        // The file may have been rewritten meanwhile; then another file was synced.
        guard synced === file else { return }
        table.syncEnded(sequence, succeeded: succeeded)
    }

    /// Replaces the file, whose slots are too small for the payload, by a new one with larger
    /// slots.
    ///
    /// At every moment one of the two files is complete.
    private mutating func rewrite(_ payload: [UInt8]) throws(DownloadError) {
        let size = Self.slotSize(for: payload.count)
        guard payload.count <= CheckpointSlot.room(in: size) else {
            throw DownloadError(
                .diskFailure,
                "the checkpoint would be larger than \(size) bytes",
                context: "writing \(path)",
                retryClass: .never
            )
        }
        let sequence = table.newestSequence + 1
        let head = CheckpointSlot.Head(sequence: sequence, syncedSequence: sequence)
        let bytes = CheckpointSlot.encode(head, payload: payload)
        let path = path
        let draft = Self.draft(of: path)
        file = try attempt(.write, path, Self.replace(path, by: draft, slotSize: size, slot: bytes))
        slotSize = size
        table = SlotTable(sequences: [sequence], syncedSequence: sequence)
    }

    /// Returns the path at which a larger file is prepared.
    static func draft(of path: FilePath) -> FilePath { path.appending(suffix: ".new") }

    private static func replace(
        _ path: FilePath,
        by draft: FilePath,
        slotSize: Int,
        slot: [UInt8]
    ) throws(Errno) -> OpenFile {
        // The draft is left from an earlier rewrite that was killed: the lock shows that it is not
        // in use.
        try? draft.removeFile()
        let file = try OpenFile(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        do throws(Errno) {
            try file.writeHeader(slotSize)
            try file.write(slot, at: Int64(CheckpointHeader.length))
            try file.syncAll()
            try FileLock.takeWithoutContest(file)
            try draft.systemCall(path) { rename($0, $1) }
        } catch {
            // The error that led here is more useful than one of the cleanup.
            try? draft.removeFile()
            throw error
        }
        try path.folder.syncFolder()
        return file
    }

    /// Returns the next power of two that leaves half of the slot free.
    private static func slotSize(for payload: Int) -> Int {
        var size = CheckpointLimits.usualSlot
        while size < CheckpointLimits.largestSlot, CheckpointSlot.room(in: size) < 2 * payload {
            size *= 2
        }
        return size
    }
}

extension OpenFile {
    fileprivate func writeHeader(_ slotSize: Int) throws(Errno) {
        // This reserves space for all slots, so that claims can continue if the disk fills up
        // later. If there is not enough space now, or the file system cannot reserve it, the writes
        // will fail themselves.
        let length = CheckpointHeader.length + SlotTable.slotCount * slotSize
        _ = pawl_fallocate(descriptor, 0, 0, Int64(length))
        try write(CheckpointHeader(slotSize: slotSize).encoded)
    }
}
