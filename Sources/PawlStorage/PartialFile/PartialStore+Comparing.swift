internal import Glibc
package import PawlCore

extension PartialStore {
    /// The number of bytes read at once.
    private static let pieceBytes = 16 * 1024

    /// Whether the partial file contains these bytes at that offset.
    ///
    /// It takes no lock and allocates no memory.
    package func holds(
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
}
