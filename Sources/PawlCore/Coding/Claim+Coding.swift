/// The form of claims in checkpoints and resume data.
extension ByteWriter {
    package mutating func put(_ claims: [Claim]) {
        put(UInt32(clamping: claims.count))
        for claim in claims {
            put(claim.range.start)
            put(claim.range.end)
            put(claim.tail)
        }
    }
}

extension ByteReader {
    /// Sorted, apart from each other, not empty, within the whole.
    package mutating func claims(within total: Int64?) throws(MalformedBytes) -> [Claim] {
        let count = Int(clamping: try number(UInt32.self))
        guard count <= CodingLimits.ranges else {
            throw MalformedBytes(what: "too many ranges")
        }
        var claims: [Claim] = []
        var free: Int64 = 0
        for _ in 0..<count {
            let start = try number(Int64.self)
            let end = try number(Int64.self)
            let tail = try number(UInt64.self)
            guard start >= free, end > start, end <= total ?? .max else {
                throw MalformedBytes(what: "ranges that contradict each other")
            }
            claims.append(Claim(range: ByteRange(start, end), tail: tail))
            // Ranges that touch would be one range. An end of .max leaves no room for another.
            let (next, overflow) = end.addingReportingOverflow(1)
            free = overflow ? .max : next
        }
        return claims
    }
}

/// Bounds on what is kept and on what is believed while reading.
package enum CodingLimits {
    /// Written and durable ranges together, while reading.
    package static let ranges = 65_536
    /// A longer text is cut or left out while writing.
    package static let textLength = 32 * 1024
}
