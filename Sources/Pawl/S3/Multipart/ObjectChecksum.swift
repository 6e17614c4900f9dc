internal import PawlCore
internal import PawlStorage

/// The CRC-32C of an object or a part, as storage services write it.
package struct ObjectChecksum: Hashable, Sendable {
    /// The checksum in network order, four bytes.
    package let bytes: [UInt8]
    /// The number of parts if it is the checksum of their checksums; `nil` if it is that of all
    /// bytes.
    package let parts: Int?

    static let field = "x-amz-checksum-crc32c"
    static let algorithm = "CRC32C"

    package init(_ bytes: [UInt8], parts: Int? = nil) { (self.bytes, self.parts) = (bytes, parts) }

    package init(of content: [UInt8]) { self.init(CRC32C.checksum(of: content)) }

    /// The checksum of an object that consists of parts, in their order.
    package init(ofPartsWith checksums: [ObjectChecksum]) {
        self.init(
            CRC32C.checksum(of: checksums.flatMap(\.bytes)),
            parts: checksums.count
        )
    }

    /// Reads a checksum such as `yZRlqg==` or `yZRlqg==-3`; `nil` if the text is not a
    /// checksum.
    package init?(_ text: String) {
        let pieces = text.trimmed.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(pieces.count), let bytes = [UInt8](base64: String(pieces[0])),
            bytes.count == 4
        else { return nil }
        var parts: Int?
        if pieces.count == 2 {
            guard let count = Int(pieces[1]), count > 0 else { return nil }
            parts = count
        }
        self.init(bytes, parts: parts)
    }

    /// The checksum in base64, without a number of parts.
    var text: String { bytes.base64 }
}
