import PawlCore

/// A checksum that a client sends with a payload, or that a bucket keeps with an object.
package struct BucketChecksum: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case crc32 = "CRC32"
        case crc32c = "CRC32C"
        case sha1 = "SHA1"
        case sha256 = "SHA256"

        /// The name of its header field.
        package var field: String { "x-amz-checksum-\(rawValue.lowercased())" }
        /// The name of its element in documents.
        package var element: String { "Checksum\(rawValue)" }

        package func digest(of bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .crc32: CyclicCode.ethernet.checksum(of: bytes)
            case .crc32c: DigestAlgorithm.crc32c.digest(of: bytes)
            case .sha1: DigestAlgorithm.sha1.digest(of: bytes)
            case .sha256: DigestAlgorithm.sha256.digest(of: bytes)
            }
        }
    }

    package var kind: Kind
    package var bytes: [UInt8]
    /// The number of parts whose checksums it covers; `nil` if it covers the bytes themselves.
    package var partCount: Int?

    package init(_ kind: Kind, of bytes: [UInt8]) {
        (self.kind, self.bytes) = (kind, kind.digest(of: bytes))
    }

    /// The checksum over the checksums of parts.
    init(composedOf parts: [BucketChecksum], kind: Kind) {
        self.kind = kind
        bytes = kind.digest(of: parts.flatMap(\.bytes))
        partCount = parts.count
    }

    /// The value of its field.
    package var text: String { Base64.text(bytes) + (partCount.map { "-\($0)" } ?? "") }

    /// `COMPOSITE` or `FULL_OBJECT`.
    var type: String { partCount == nil ? "FULL_OBJECT" : "COMPOSITE" }
}
