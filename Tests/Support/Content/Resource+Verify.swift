import Glibc
package import PawlCore
import SystemPackage

extension Resource {
    /// Returns the first offset at which the file differs from the resource, or `nil` if they are
    /// equal.
    ///
    /// A different length counts as a difference. Throws `Errno` if the file cannot be read.
    package func verify(fileAt path: String) throws -> Int64? {
        if let mismatch = try firstMismatch(inFileAt: path, range: ByteRange(0, size)) {
            return mismatch
        }
        return try FileLength.ofFile(at: path) == size ? nil : size
    }

    /// Returns the first offset within `range` at which the file differs from the resource.
    ///
    /// The end of the file counts as a difference. Throws `Errno` if the file cannot be read.
    package func firstMismatch(inFileAt path: String, range: ByteRange) throws -> Int64? {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        // Closing a file that was only read cannot lose data.
        defer { try? file.close() }
        let capacity = 1 << 20
        let buffers = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * capacity, alignment: 16)
        defer { buffers.deallocate() }
        var position = range.start
        while position < range.end {
            let count = Int(min(Int64(capacity), range.end - position))
            let found = UnsafeMutableRawBufferPointer(rebasing: buffers[0..<count])
            let read = try file.read(fromAbsoluteOffset: position, into: found)
            guard read > 0 else { return position }
            let got = UnsafeMutableRawBufferPointer(rebasing: buffers[0..<read])
            let wanted = UnsafeMutableRawBufferPointer(
                rebasing: buffers[capacity..<capacity + read]
            )
            content.fill(wanted, at: position)
            if let index = Self.firstDifference(got, wanted) { return position + Int64(index) }
            position += Int64(read)
        }
        return nil
    }

    private static func firstDifference(
        _ left: UnsafeMutableRawBufferPointer,
        _ right: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard let first = left.baseAddress, let second = right.baseAddress,
            memcmp(first, second, left.count) != 0
        else { return nil }
        return left.indices.first { left[$0] != right[$0] }
    }
}

extension ContentPattern {
    /// Returns the first offset at which the file differs from the first `size` bytes of the
    /// pattern.
    ///
    /// A different length counts as a difference; returns `nil` if there is no difference. Throws
    /// `Errno` if the file cannot be read.
    package func verify(fileAt path: String, size: Int64) throws -> Int64? {
        try Resource(size: size, seed: seed).verify(fileAt: path)
    }

    /// Returns the first offset within `range` at which the file differs from the pattern.
    ///
    /// The end of the file counts as a difference. Throws `Errno` if the file cannot be read.
    package func firstMismatch(inFileAt path: String, range: ByteRange) throws -> Int64? {
        try Resource(size: range.end, seed: seed).firstMismatch(inFileAt: path, range: range)
    }
}

enum FileLength {
    static func ofFile(at path: String) throws(Errno) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        return Int64(status.st_size)
    }
}
