package import PawlCore
package import SystemPackage

/// The digests of a finished file's pieces, stored with the file, so that its damaged pieces can be
/// fetched again without a Metalink.
package struct PieceRecord: Hashable, Sendable {
    private static let attribute = "user.pawl.pieces"
    /// The space left for the attributes that are stored later.
    ///
    /// Some file systems, such as ext4, have 4 KiB for all attributes of a file.
    private static let spareBytes = 1536
    private static let colon = UInt8(ascii: ":")

    package let pieces: PieceDigests
    /// The size of the file.
    package let total: Int64

    /// Returns `nil` if a file of this size has another number of pieces.
    package init?(_ pieces: PieceDigests, total: Int64) {
        guard pieces.covers(total) else { return nil }
        (self.pieces, self.total) = (pieces, total)
    }

    /// Reads the record of the file at the path; `nil` if it has none, or one that cannot be read.
    package init?(of path: FilePath) {
        guard let value = try? ExtendedAttributes.read(Self.attribute, of: path) else { return nil }
        let parts = value.split(
            separator: Self.colon,
            maxSplits: 3,
            omittingEmptySubsequences: false
        )
        guard parts.count == 4,
            let algorithm = DigestAlgorithm(named: String(decoding: parts[0], as: UTF8.self)),
            let length = Int64(String(decoding: parts[1], as: UTF8.self)),
            let total = Int64(String(decoding: parts[2], as: UTF8.self)),
            let pieces = PieceDigests(algorithm, length: length, bytes: Array(parts[3]))
        else { return nil }
        self.init(pieces, total: total)
    }

    /// Stores the record, if the file system has the space for it and for what follows.
    @discardableResult
    func put(on file: OpenFile) -> Bool {
        let head = "\(pieces.algorithm.rawValue):\(pieces.length):\(total):"
        let value = Array(head.utf8) + pieces.bytes
        let padding = [UInt8](repeating: 0, count: Self.spareBytes)
        // The longer value proves that there is enough space, which the second write then releases.
        // In between, the number of digests is wrong, so no reader accepts them.
        do throws(AttributeFailure) {
            try ExtendedAttributes.write(value + padding, Self.attribute, on: file)
            try ExtendedAttributes.write(value, Self.attribute, on: file)
            return true
        } catch {
            return false
        }
    }
}
