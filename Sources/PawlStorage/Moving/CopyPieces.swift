internal import CPlatform
internal import Glibc
internal import SystemPackage

/// The parts of a file that contain data, in pieces, without the holes between them.
struct CopyPieces {
    private let file: OpenFile
    private let size: Int64
    private let pieceSize: Int64
    private var offset: Int64 = 0
    /// The end of the data that begin at or before `offset`.
    private var end: Int64 = 0

    init(_ file: OpenFile, size: Int64, pieceSize: Int64) {
        self.file = file
        self.size = size
        self.pieceSize = pieceSize
    }

    mutating func next() throws(Errno) -> Range<Int64>? {
        if offset >= end {
            guard offset < size, let data = try nextData() else { return nil }
            offset = data.lowerBound
            end = data.upperBound
        }
        let next = offset..<min(end, offset + pieceSize)
        offset = next.upperBound
        return next
    }

    private func nextData() throws(Errno) -> Range<Int64>? {
        let start = lseek(file.descriptor, off_t(offset), PAWL_SEEK_DATA)
        if start < 0 {
            // There is only a hole up to the end. If holes are not supported, everything counts as
            // data.
            if errno == ENXIO { return nil }
            guard errno == EINVAL || errno == ENOTSUP else { throw .last }
            return offset..<size
        }
        let stop = lseek(file.descriptor, start, PAWL_SEEK_HOLE)
        let first = max(offset, Int64(start))
        let last = stop < 0 ? size : min(size, Int64(stop))
        return first < last ? first..<last : nil
    }
}
