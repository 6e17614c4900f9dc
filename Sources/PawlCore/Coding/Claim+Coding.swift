/// The encoding of claims in checkpoints and resume data.
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
    /// Reads claims: sorted, separate, not empty, and within the total length.
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
                throw MalformedBytes(what: "the ranges contradict each other")
            }
            claims.append(Claim(range: ByteRange(start, end), tail: tail))
            // Ranges that touch would be one range. An end of .max leaves no room for another.
            let (next, overflow) = end.addingReportingOverflow(1)
            free = overflow ? .max : next
        }
        return claims
    }
}

/// The limits on what is stored, and on what is accepted while reading.
package enum CodingLimits {
    /// The maximum number of written and durable ranges together, while reading.
    package static let ranges = 65_536
    /// The maximum length of a text.
    ///
    /// Longer ones are cut or left out while writing.
    package static let textLength = 32 * 1024
}
