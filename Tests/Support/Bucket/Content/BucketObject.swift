import PawlCore

/// The name of an object: two keys are equal if their bytes are.
struct BucketKey: Hashable, Sendable {
    let bucket: String
    let bytes: [UInt8]

    init(_ bucket: String, _ bytes: [UInt8]) { (self.bucket, self.bytes) = (bucket, bytes) }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// What a client says about an object besides its bytes.
package struct BucketNotes: Hashable, Sendable {
    /// The metadata, by the names that follow `x-amz-meta-`.
    package var metadata: [String: String] = [:]
    package var mediaType = "binary/octet-stream"

    package init() {}

    init(_ request: RecordedRequest) {
        metadata = request.fields.bucketMetadata
        mediaType = request["Content-Type"] ?? mediaType
    }
}

/// An object of a scripted bucket.
package struct BucketObject: Sendable {
    package var bytes: [UInt8]
    /// The entity tag with its quotes.
    package var entityTag: String
    package var notes: BucketNotes
    package var checksum: BucketChecksum?
    /// The time of its last change in seconds since 1970.
    package var modified: Int64
    /// The upload whose parts it consists of; `nil` if it was stored by one request.
    package var uploadID: String?
    /// The numbers and sizes of its parts.
    package var parts: [PartSize] = []

    /// The number and the size of a part.
    package struct PartSize: Hashable, Sendable {
        package var number: Int
        package var bytes: Int
    }

    init(_ bytes: [UInt8], entityTag: String? = nil, notes: BucketNotes, modified: Int64) {
        self.bytes = bytes
        self.entityTag = entityTag ?? BucketPart.entityTag(of: bytes)
        (self.notes, self.modified) = (notes, modified)
    }
}

/// A part that an upload holds.
package struct BucketPart: Sendable {
    package var bytes: [UInt8]
    /// The entity tag with its quotes.
    package var entityTag: String
    package var checksum: BucketChecksum?
    package var modified: Int64

    init(_ bytes: [UInt8], checksum: BucketChecksum?, modified: Int64) {
        (self.bytes, self.checksum, self.modified) = (bytes, checksum, modified)
        entityTag = Self.entityTag(of: bytes)
    }

    static func entityTag(of bytes: [UInt8]) -> String {
        "\"\(DigestAlgorithm.md5.digest(of: bytes).map(\.hexadecimal).joined())\""
    }
}

/// An upload in parts that is neither complete nor aborted.
package struct BucketUpload: Sendable {
    package var id: String
    package var bucket: String
    package var key: String
    package var notes: BucketNotes
    /// The kind of checksum that each part must have, and whether that of the object covers its
    /// bytes instead of the checksums of its parts.
    package var checksums: (kind: BucketChecksum.Kind, isWhole: Bool)?
    /// The parts by their numbers.
    package var parts: [Int: BucketPart] = [:]
    /// When it was created, in seconds since 1970.
    package var initiated: Int64

    let name: BucketKey

    init(
        _ id: String,
        _ name: BucketKey,
        _ notes: BucketNotes,
        checksums: (kind: BucketChecksum.Kind, isWhole: Bool)?,
        initiated: Int64
    ) {
        (self.id, self.name, self.notes, self.initiated) = (id, name, notes, initiated)
        (bucket, key, self.checksums) = (name.bucket, name.text, checksums)
    }
}
