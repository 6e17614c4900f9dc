internal import Glibc
internal import PawlCore
internal import SystemPackage

extension ExistingFile {
    private static let pieceLength = 256 << 10

    /// Returns the regular file of `total` bytes at `path`, and its status; `nil` if there is none
    /// that can be read.
    static func candidate(
        at path: FilePath,
        total: Int64
    ) -> (file: OpenFile, stamp: FileStamp)? {
        // A file that cannot be opened or read counts as another file, which keeps its name.
        guard let file = try? OpenFile(path, O_RDONLY | O_NONBLOCK),
            let status = try? file.status(), status.isRegular, status.size == total
        else { return nil }
        return (file, FileStamp(status))
    }

    /// Whether two files have the same first `total` bytes.
    ///
    /// A file that cannot be read has not.
    ///
    /// `onPiece` is called before each piece; an error that it throws ends the comparison.
    static func haveSameBytes(
        _ one: OpenFile,
        _ other: OpenFile,
        _ total: Int64,
        _ onPiece: () throws(DownloadError) -> Void = {}
    ) throws(DownloadError) -> Bool {
        var first = [UInt8](repeating: 0, count: pieceLength)
        var second = first
        var offset: Int64 = 0
        while offset < total {
            try onPiece()
            // A file that cannot be read counts as different.
            guard let count = try? one.read(into: &first, at: offset), count > 0,
                (try? other.read(into: &second, at: offset)) == count,
                first[..<count] == second[..<count]
            else { return false }
            offset += Int64(count)
        }
        return true
    }
}

extension OpenFile {
    /// Returns the number of bytes read, which is less than requested only at the end of the file.
    func read(into bytes: inout [UInt8], at offset: Int64) throws(Errno) -> Int {
        // The array's own method does not preserve the closure's error type.
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(Errno) in try read(into: buffer, at: offset) }
        }
        return try result.get()
    }
}
