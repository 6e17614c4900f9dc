internal import CPlatform
internal import Glibc
internal import PawlCore
internal import SystemPackage

/// The bytes of a partial file, each at its final offset.
///
/// All calls block, and may run on any number of threads.
struct DataFile: Sendable {
    let file: OpenFile
    /// The names of the file, for errors.
    private let names: StoreNames

    init(_ file: OpenFile, _ names: StoreNames) {
        self.file = file
        self.names = names
    }

    private var path: FilePath { names.paths.partial }

    /// Writes bytes.
    ///
    /// `total` is the length of the whole file, for the error of a full disk.
    func write(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64,
        total: @autoclosure () -> Int64?
    ) throws(DownloadError) {
        do throws(Errno) {
            try file.write(bytes, at: offset)
        } catch .noSpace {
            let missing = total().flatMap { missingRoom(for: $0) } ?? Int64(bytes.count)
            throw .diskFull(missing: missing, .write, path)
        } catch {
            throw DownloadError(error, while: .write, path)
        }
    }

    /// Reads bytes.
    ///
    /// Returns their number, which is less than requested only at the end of the file.
    func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> Int {
        do throws(Errno) {
            return try file.read(into: buffer, at: offset)
        } catch {
            throw DownloadError(error, while: .read, path)
        }
    }

    /// Starts writing to the disk, so that the next sync has little to wait for.
    func startWriteback() {
        // If the system cannot do this, or the disk fails, the sync will report it.
        _ = pawl_start_writeback(file.descriptor)
    }

    // MARK: - Comparing

    /// The number of bytes compared at once.
    private static let pieceBytes = 16 * 1024

    /// Whether the file contains these bytes at that offset.
    ///
    /// It allocates no memory.
    func holds(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> Bool {
        let result: Result<Bool, DownloadError> = withUnsafeTemporaryAllocation(
            byteCount: min(Self.pieceBytes, max(1, bytes.count)),
            alignment: 16
        ) { buffer in
            Result { () throws(DownloadError) in
                var position = 0
                while position < bytes.count {
                    let count = min(buffer.count, bytes.count - position)
                    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                    guard try read(into: piece, at: offset + Int64(position)) == count,
                        isEqual(piece, bytes[position..<position + count])
                    else { return false }
                    position += count
                }
                return true
            }
        }
        return try result.get()
    }

    private func isEqual(
        _ left: UnsafeMutableRawBufferPointer,
        _ right: Slice<UnsafeRawBufferPointer>
    ) -> Bool {
        let right = UnsafeRawBufferPointer(rebasing: right)
        guard left.count == right.count, let first = left.baseAddress, let other = right.baseAddress
        else { return left.isEmpty && right.isEmpty }
        return memcmp(first, other, left.count) == 0
    }

    // MARK: - The size

    /// Reserves space for the whole file.
    ///
    /// If there is too little, `.diskFull` contains the number of missing bytes.
    ///
    /// The file gets its full length. If the file system cannot reserve space, only its free space
    /// is compared: a sparse file of the full length would reserve nothing, and some file systems
    /// would fill it with zeros.
    func reserve(total: Int64) throws(DownloadError) {
        guard total > 0 else { return }
        let missing = try attempt(.reserve, path, file.missingRoom(for: total))
        if let missing { throw .diskFull(missing: missing, announced: total, .reserve, path) }
        do throws(Errno) {
            try file.allocate(total)
        } catch .noSpace {
            let missing = missingRoom(for: total)
            throw .diskFull(missing: missing, announced: total, .reserve, path)
        } catch {
            throw DownloadError(error, while: .reserve, path)
        }
    }

    /// Removes the bytes after `size`, and returns the size that the file then has.
    @discardableResult
    func cut(to size: Int64) throws(DownloadError) -> Int64 {
        try attempt(.truncate, path) { () throws(Errno) in
            let old = try file.status().size
            if old > size { try file.truncate(to: size) }
            return min(old, size)
        }
    }

    /// Returns the space of these bytes to the file system; they read as zeros from then on.
    func drop(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        // Where the file system cannot do this, the bytes take up space until the file is closed.
        _ = pawl_fallocate(
            file.descriptor,
            PAWL_FALLOC_PUNCH_HOLE | PAWL_FALLOC_KEEP_SIZE,
            range.start,
            range.count
        )
    }

    func empty() throws(DownloadError) {
        try attempt(.truncate, path, file.truncate(to: 0))
    }

    /// Removes the bytes after the end, and throws if the file is shorter.
    func adjustSize(to total: Int64) throws(DownloadError) {
        // The bytes after the end were reserved, or are left from a longer version.
        let size = try cut(to: total)
        guard size == total else {
            throw DownloadError(
                .diskFailure,
                "\(path) has \(size) bytes instead of \(total)",
                advice: "another program may have changed it: \(.runAgain)",
                context: "finishing \(names.paths.final)"
            )
        }
    }

    private func missingRoom(for total: Int64) -> Int64? {
        // This is only for the text of an error that is reported in any case.
        (try? file.missingRoom(for: total)) ?? nil
    }
}

extension OpenFile {
    /// Returns how many bytes are missing for the file to grow to `total`; `nil` if there is enough
    /// space.
    fileprivate func missingRoom(for total: Int64) throws(Errno) -> Int64? {
        guard let free = try FileSystemSpace(of: self).freeBytes else { return nil }
        let needed = max(0, total - max(0, try status().allocated))
        return needed > free ? needed - free : nil
    }

    /// Allocates all of the space or none: a failed attempt releases what it has taken.
    fileprivate func allocate(_ total: Int64) throws(Errno) {
        let size = try status().size
        do throws(Errno) {
            try retrying { pawl_fallocate(descriptor, 0, 0, total) }
        } catch .notSupportedOnSocket, .noFunction {
            return
        } catch {
            // This releases the space after the end. If even this fails, the first error is
            // reported.
            try? truncate(to: size)
            throw error
        }
    }
}
