package import PawlCore

/// Finds the pieces of a file whose digests are wrong.
package struct PieceCheck {
    /// Reads bytes at an offset; fewer than requested only at the end of the file.
    package typealias Reader =
        (UnsafeMutableRawBufferPointer, Int64) throws(DownloadError) -> Int

    private let pieces: PieceDigests
    private let total: Int64

    package init(_ pieces: PieceDigests, total: Int64) {
        (self.pieces, self.total) = (pieces, total)
    }

    /// Returns the pieces that are wrong, in order; it blocks.
    ///
    /// `progressed` is called with the position after each part that was read; an error that it
    /// throws ends the reading.
    package func wrongPieces(
        _ read: Reader,
        progressed: (Int64) throws(DownloadError) -> Void = { _ throws(DownloadError) in }
    ) throws(DownloadError) -> [ByteRange] {
        let buffer = PieceBuffer(count: 256 * 1024)
        var wrong: [ByteRange] = []
        for (index, range) in pieces.ranges(of: total).enumerated() {
            let context = try DigestContext(pieces.algorithm)
            var position = range.start
            while position < range.end {
                let most = Int(min(range.end - position, Int64(buffer.bytes.count)))
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<most])
                let count = try read(part, position)
                guard count > 0 else { break }
                try context.update(UnsafeRawBufferPointer(rebasing: part[..<count]))
                position += Int64(count)
                try progressed(position)
            }
            if try context.finalize() != pieces.digest(of: index) { wrong.append(range) }
        }
        return wrong
    }
}
