internal import PawlCore
internal import SystemPackage

/// The checksums of the ranges' last bytes.
///
/// Claimed bytes do not change, so each checksum is computed once: claims are made many times per
/// second, mostly of the same ranges.
struct TailCache: Sendable {
    private var tails: [ByteRange: UInt64] = [:]

    /// Returns claims of the ranges, without those whose tail is not in the file.
    mutating func claims(
        _ written: RangeSet,
        _ durable: RangeSet,
        in file: OpenFile
    ) throws(Errno) -> (written: [Claim], durable: [Claim]) {
        var kept: [ByteRange: UInt64] = [:]
        let writtenClaims = try claims(written, in: file, &kept)
        let durableClaims = try claims(durable, in: file, &kept)
        tails = kept
        return (writtenClaims, durableClaims)
    }

    mutating func removeAll() { tails = [:] }

    private func claims(
        _ set: RangeSet,
        in file: OpenFile,
        _ kept: inout [ByteRange: UInt64]
    ) throws(Errno) -> [Claim] {
        var claims: [Claim] = []
        claims.reserveCapacity(set.ranges.count)
        for range in set.bounded {
            let tailRange = Claim.tailRange(of: range)
            var tail = kept[tailRange] ?? tails[tailRange]
            if tail == nil { tail = try file.checksum(of: tailRange) }
            guard let tail else { continue }
            kept[tailRange] = tail
            claims.append(Claim(range: range, tail: tail))
        }
        return claims
    }
}

extension OpenFile {
    /// Returns the checksum of a short range; `nil` if the file ends before the range does.
    func checksum(of range: ByteRange) throws(Errno) -> UInt64? {
        guard range.start >= 0, range.count <= Claim.tailLength else { return nil }
        let length = Int(range.count)
        let result: Result<UInt64?, Errno> = withUnsafeTemporaryAllocation(
            byteCount: length,
            alignment: 16
        ) { buffer in
            Result { () throws(Errno) in
                let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
                guard try read(into: piece, at: range.start) == length else { return nil }
                return SHA256.prefix(of: UnsafeRawBufferPointer(piece))
            }
        }
        return try result.get()
    }
}
