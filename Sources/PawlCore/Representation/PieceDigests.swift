/// The digests of the pieces of a file, which all have the same length, except for the last one.
///
/// They show which part of a file is damaged, so that only that part has to be fetched again.
public struct PieceDigests: Hashable, Sendable {
    /// The algorithm of all digests.
    public let algorithm: DigestAlgorithm
    /// The length of a piece in bytes, at least 1,024.
    public let length: Int64
    /// The digests of the pieces, one after another.
    public let bytes: [UInt8]

    package static let leastLength: Int64 = 1024
    /// The maximum size of all digests together: those of a terabyte in pieces of 4 MiB.
    package static let mostBytes = 8 << 20

    /// Creates the digests; `nil` if there are none or more than 8 MiB, if their size does not fit
    /// the algorithm, or if the pieces are too short.
    public init?(_ algorithm: DigestAlgorithm, length: Int64, bytes: [UInt8]) {
        guard length >= Self.leastLength, !bytes.isEmpty, bytes.count <= Self.mostBytes,
            bytes.count.isMultiple(of: algorithm.byteCount)
        else { return nil }
        (self.algorithm, self.length, self.bytes) = (algorithm, length, bytes)
    }

    /// The number of pieces.
    public var count: Int { bytes.count / algorithm.byteCount }

    /// Returns whether a file of this size has as many pieces.
    package func covers(_ total: Int64) -> Bool {
        guard total > 0 else { return false }
        return (total - 1) / length + 1 == Int64(count)
    }

    /// Returns the bytes of each piece of a file, in order.
    package func ranges(of total: Int64) -> [ByteRange] {
        guard covers(total) else { return [] }
        return (0..<Int64(count)).map {
            // `covers` proves that no start exceeds the total.
            ByteRange($0 * length, $0 == Int64(count) - 1 ? total : ($0 + 1) * length)
        }
    }

    /// Returns the digest of a piece, of those that there are.
    package func digest(of piece: Int) -> ContentDigest? {
        guard (0..<count).contains(piece) else { return nil }
        let start = piece * algorithm.byteCount
        return ContentDigest(algorithm, bytes: Array(bytes[start..<start + algorithm.byteCount]))
    }
}

extension PieceDigests: CustomStringConvertible {
    /// The form of `--pieces`: the algorithm, the length and all digests in base64, separated by
    /// colons.
    public var description: String { "\(algorithm.rawValue):\(length):\(bytes.base64)" }

    /// Parses the output of `description`.
    package init?(parsing text: some StringProtocol) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let algorithm = DigestAlgorithm(named: parts[0]),
            let length = Int64(parts[1]), let bytes = [UInt8](base64: String(parts[2]))
        else { return nil }
        self.init(algorithm, length: length, bytes: bytes)
    }
}
