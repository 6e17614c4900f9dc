internal import PawlCore
internal import PawlFleet

/// A part of an object whose bytes are in memory, all or some of them.
struct PartInHand {
    enum Stage {
        /// Bytes are missing.
        case filling
        /// All bytes are there; it is sent, or waits for that.
        case sending
        /// The service has it, and its bytes are kept until they were read.
        case sent
    }

    /// The bytes of the file that form the part.
    private(set) var range: ByteRange
    /// The bytes if they are kept as a whole.
    private(set) var bytes: [UInt8] = []
    /// The bytes if they are sent while they arrive.
    let pipe: PartPipe?
    /// The number of bytes that were put.
    private(set) var count: Int64 = 0
    var stage = Stage.filling
    /// The memory that was granted for it; 0 if none was.
    var memory: Int64 = 0
    /// The number of the job that sends it; `nil` if none was begun.
    var job: Int?
    /// The part of the same index that the service has from before; it may have other bytes.
    var known: UploadedPart?

    init(_ range: ByteRange, pipe: PartPipe?, known: UploadedPart?) {
        (self.range, self.pipe, self.known) = (range, pipe, known)
    }

    /// The memory that it needs.
    static func cost(of range: ByteRange, isStreamed: Bool) -> Int64 {
        isStreamed ? min(range.count, PartPipe.capacity) : range.count
    }

    var isComplete: Bool { count == range.count }

    /// Takes bytes at an offset; returns `false` if others are missing before them.
    mutating func take(_ piece: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        let known = range.start + count
        guard offset <= known else { return false }
        let present = Int(clamping: min(known - offset, Int64(piece.count)))
        let new = UnsafeRawBufferPointer(rebasing: piece[present...])
        guard !new.isEmpty else { return true }
        if let pipe {
            pipe.put(new)
        } else {
            // A file of unknown length may end long before the part.
            if bytes.isEmpty { bytes.reserveCapacity(Int(clamping: min(range.count, 8 << 20))) }
            bytes.append(contentsOf: new)
        }
        count += Int64(new.count)
        return true
    }

    /// Ends the part with the bytes that it has.
    mutating func cut() { range = ByteRange(range.start, range.start + count) }

    /// Copies bytes from an offset on; returns their number, and whether that has made room.
    func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) -> (count: Int, hasRoom: Bool) {
        let position = offset - range.start
        if let pipe { return pipe.readOnce(into: buffer, at: position) }
        let rest = bytes.dropFirst(Int(clamping: position)).prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return (rest.count, false)
    }

    var hasRoom: Bool { memory > 0 && pipe?.hasRoom != false }
}
