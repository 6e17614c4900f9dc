internal import CPlatform
internal import Glibc
internal import PawlCore
internal import SystemPackage

/// A copy of a file on another file system, with its holes, attributes, permissions and times.
package struct FileCopy {
    /// The ways to copy bytes, the best first.
    package enum Method: CaseIterable, Sendable {
        /// `copy_file_range`: the kernel copies the bytes, or the file system shares them.
        case kernel
        case readAndWrite
    }

    private static let pieceSize: Int64 = 8 << 20

    private let source: OpenFile
    private let sourcePath: FilePath
    private let target: OpenFile
    private let targetPath: FilePath
    private let methods: [Method]

    init(
        from source: OpenFile,
        _ sourcePath: FilePath,
        to target: OpenFile,
        _ targetPath: FilePath,
        methods: [Method]
    ) {
        self.source = source
        self.sourcePath = sourcePath
        self.target = target
        self.targetPath = targetPath
        self.methods = methods
    }

    /// Copies everything and syncs it.
    ///
    /// Returns the names of the attributes that the other file system does not keep.
    func run(
        _ status: FileStatus,
        onPiece: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> [String] {
        if status.allocated >= status.size { try reserve(status.size) }
        var pieces = CopyPieces(source, size: status.size, pieceSize: Self.pieceSize)
        var methods = methods
        while let piece = try attempt(.read, sourcePath, pieces.next()) {
            try onPiece()
            try copy(piece, &methods)
        }
        try attempt(.truncate, targetPath, target.truncate(to: status.size))
        let lost = copyAttributes()
        try attempt(.write, targetPath) { () throws(Errno) in
            try retrying { fchmod(target.descriptor, mode_t(status.permissions)) }
            try copyTimes(status)
        }
        try attempt(.sync, targetPath, target.syncAll())
        return lost
    }

    /// Reserves the space, so that a full disk is found before anything is copied, if the file
    /// system supports that.
    private func reserve(_ size: Int64) throws(DownloadError) {
        guard size > 0 else { return }
        do throws(Errno) {
            try retrying { pawl_fallocate(target.descriptor, PAWL_FALLOC_KEEP_SIZE, 0, size) }
        } catch .noSpace, .diskQuotaExceeded {
            throw DownloadError.diskFull(missing: nil, .reserve, targetPath)
        } catch {
            // The writes will fail themselves.
            return
        }
    }

    /// Copies a piece.
    ///
    /// The first method that works is used for all that follows.
    private func copy(_ piece: Range<Int64>, _ methods: inout [Method]) throws(DownloadError) {
        var offset = piece.lowerBound
        while offset < piece.upperBound {
            guard methods.first == .kernel else {
                try readAndWrite(offset..<piece.upperBound)
                return
            }
            let count = pawl_copy_file_range(
                source.descriptor,
                offset,
                target.descriptor,
                offset,
                Int(piece.upperBound - offset)
            )
            if count > 0 {
                offset += count
                continue
            }
            switch count < 0 ? Errno.last : nil {
            case .interrupted?: continue
            case (.noSpace?), (.diskQuotaExceeded?), (.ioError?):
                throw DownloadError(.last, while: .write, targetPath)
            default: break
            }
            // The kernel cannot copy between these two, so the bytes are read and written.
            methods.removeFirst()
        }
    }

    private func readAndWrite(_ piece: Range<Int64>) throws(DownloadError) {
        let buffer = PieceBuffer(count: 256 * 1024)
        var offset = piece.lowerBound
        while offset < piece.upperBound {
            let wanted = Int(min(Int64(buffer.bytes.count), piece.upperBound - offset))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<wanted])
            let start = offset
            let count = try attempt(.read, sourcePath, source.read(into: part, at: start))
            guard count > 0 else {
                // The file was longer before.
                throw DownloadError(.resourceBusy, while: .read, sourcePath)
            }
            try attempt(.write, targetPath) { () throws(Errno) in
                try target.write(UnsafeRawBufferPointer(rebasing: part[..<count]), at: start)
            }
            offset += Int64(count)
        }
    }

    private func copyAttributes() -> [String] {
        // A file system without attributes has none to lose.
        let names = (try? ExtendedAttributes.names(of: source)) ?? []
        return names.filter { name in
            guard let value = try? ExtendedAttributes.read(name, of: source) else { return false }
            return (try? ExtendedAttributes.write(value, name, on: target)) == nil
        }
    }

    private func copyTimes(_ status: FileStatus) throws(Errno) {
        let times = [
            timespec(nanosecondsSince1970: status.accessedNanoseconds),
            timespec(nanosecondsSince1970: status.modifiedNanoseconds),
        ]
        try retrying { futimens(target.descriptor, times) }
    }
}
