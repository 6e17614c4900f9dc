internal import CPlatform
internal import Glibc
internal import Synchronization
package import SystemPackage

/// An open file that is closed with its last owner, so that its descriptor never refers to another
/// file.
package final class OpenFile: Sendable {
    package let descriptor: Int32
    private let isLocked = Atomic(false)

    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        unlock()
        close(descriptor)
    }

    /// Opens a file.
    ///
    /// Programs that this process starts do not inherit it.
    package convenience init(_ path: FilePath, _ flags: Int32, mode: CInterop.Mode = 0o666)
        throws(Errno)
    {
        let descriptor = try path.systemCall { pawl_open($0, flags | O_CLOEXEC, mode) }
        self.init(owning: descriptor)
    }

    /// The locks that a file can have: one exclusive lock, or any number of shared ones.
    package enum Lock { case exclusive, shared }

    /// Locks the file.
    ///
    /// If another open file holds a conflicting lock, it waits if `waits` is set, and otherwise
    /// throws `.wouldBlock`.
    package func lock(_ lock: Lock = .exclusive, waits: Bool = false) throws(Errno) {
        let operation = lock == .shared ? LOCK_SH : LOCK_EX
        try retrying { flock(descriptor, waits ? operation : operation | LOCK_NB) }
        isLocked.store(true, ordering: .relaxed)
    }

    /// Unlocks the file if it is locked.
    ///
    /// Closing it would not be enough: a child process has a copy of each open file until it runs
    /// its program, and would hold the lock until then.
    package func unlock() {
        guard isLocked.exchange(false, ordering: .relaxed) else { return }
        _ = flock(descriptor, LOCK_UN)
    }

    package func status() throws(Errno) -> FileStatus {
        var status = Glibc.stat()
        try retrying { fstat(descriptor, &status) }
        return FileStatus(status)
    }

    /// Reads bytes; fewer than requested only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(Errno) -> Int {
        var filled = 0
        while filled < buffer.count, let base = buffer.baseAddress {
            let position = offset.addingReportingOverflow(Int64(filled))
            guard !position.overflow else { throw .invalidArgument }
            let count = pread(descriptor, base + filled, buffer.count - filled, off_t(position.0))
            if count == 0 { break }
            if count > 0 { filled += count } else if errno != EINTR { throw .last }
        }
        return filled
    }

    /// Writes bytes.
    ///
    /// This is the hot path of a download: no allocation, no lock.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
        guard offset >= 0, !offset.addingReportingOverflow(Int64(bytes.count)).overflow else {
            throw .fileTooLarge
        }
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = pwrite(
                descriptor,
                base + done,
                bytes.count - done,
                off_t(offset + Int64(done))
            )
            if count > 0 {
                done += count
            } else if count == 0 {
                throw .noSpace
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    package func write(_ bytes: [UInt8], at offset: Int64 = 0) throws(Errno) {
        try bytes.span.withUnsafeBytes { (bytes) throws(Errno) in try write(bytes, at: offset) }
    }

    package func truncate(to size: Int64) throws(Errno) {
        try retrying { ftruncate(descriptor, off_t(size)) }
    }

    /// Syncs the data, and what is needed to find them again.
    func syncData() throws(Errno) {
        try retrying { fdatasync(descriptor) }
    }

    /// Syncs the data and all metadata of the file, such as its number of hard links.
    func syncAll() throws(Errno) {
        try retrying { fsync(descriptor) }
    }

    /// Reads the whole file, up to `limit` bytes.
    package func contents(limit: Int) throws(Errno) -> [UInt8] {
        let size = Int(clamping: min(max(0, try status().size), Int64(limit)))
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            do throws(Errno) {
                count = try read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

extension OpenFile {
    private static let canNameLater: Bool = {
        let found = try? FilePath("/proc/self/fd").systemCall { access($0, X_OK) }
        return found != nil
    }()

    /// Opens a file without a name in that folder; `nil` if the system has none that could be named
    /// later.
    static func unnamed(in folder: FilePath, mode: CInterop.Mode = 0o666) throws(Errno) -> OpenFile?
    {
        guard canNameLater else { return nil }
        do throws(Errno) {
            return try OpenFile(folder, O_RDWR | pawl_o_tmpfile, mode: mode)
        } catch .notSupportedOnSocket, .isDirectory, .noSuchFileOrDirectory, .invalidArgument,
            .noFunction
        {
            return nil
        }
    }

    /// Gives a name to a file that has none.
    ///
    /// It never replaces a file.
    func link(as path: FilePath) throws(Errno) {
        try FilePath("/proc/self/fd/\(descriptor)").systemCall(path) { handle, path in
            linkat(AT_FDCWD, handle, AT_FDCWD, path, AT_SYMLINK_FOLLOW)
        }
    }
}
