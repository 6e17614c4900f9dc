internal import Glibc
internal import PawlCore
internal import SystemPackage

extension ExistingFile {
    private static let pieceLength = 256 << 10

    /// Whether a regular file at `path` has the same bytes as `file`, which has `total` of them.
    ///
    /// `mark`: what is known of `file`; if the other one has the same, nothing is read. A file that
    /// cannot be read is not the same.
    static func hasBytes(
        of file: OpenFile,
        total: Int64,
        _ mark: RepresentationMark?,
        at path: FilePath
    ) -> Bool {
        // What cannot be opened or read is another file, which keeps its name.
        guard let other = try? OpenFile(path, O_RDONLY | O_NONBLOCK),
            let status = try? other.status(), status.isRegular, status.size == total
        else { return false }
        if let mark, mark.isStrong, mark.isOn(other) { return true }
        return (try? haveSameBytes(file, other, total)) ?? false
    }

    private static func haveSameBytes(
        _ one: OpenFile,
        _ other: OpenFile,
        _ total: Int64
    ) throws(Errno) -> Bool {
        var first = [UInt8](repeating: 0, count: pieceLength)
        var second = first
        var offset: Int64 = 0
        while offset < total {
            let count = try one.read(into: &first, at: offset)
            guard count > 0, try other.read(into: &second, at: offset) == count,
                first[..<count] == second[..<count]
            else { return false }
            offset += Int64(count)
        }
        return true
    }
}

extension OpenFile {
    /// How many bytes were read: fewer than there is room for only at the end of the file.
    func read(into bytes: inout [UInt8], at offset: Int64) throws(Errno) -> Int {
        // The closure's error type is lost in the array's own method.
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(Errno) in try read(into: buffer, at: offset) }
        }
        return try result.get()
    }
}
