internal import PawlCore

/// A part that the service has stored, as it is needed to complete the upload.
package struct UploadedPart: Hashable, Sendable {
    package let number: Int
    package let bytes: Int64
    /// Its entity tag, as the service sent it.
    package let tag: String
    package let checksum: ObjectChecksum
    /// The SHA-256 of its bytes, which proves that other bytes are the same; `nil` if no run has to
    /// compare them.
    package var sha256: [UInt8]?

    package init(
        number: Int,
        bytes: Int64,
        tag: String,
        checksum: ObjectChecksum,
        sha256: [UInt8]? = nil
    ) {
        (self.number, self.bytes, self.tag, self.checksum) = (number, bytes, tag, checksum)
        self.sha256 = sha256
    }

    /// The part in the list that completes an upload.
    var element: String {
        "<Part><PartNumber>\(number)</PartNumber><ETag>\(tag.escapedForXML)</ETag>"
            + "<ChecksumCRC32C>\(checksum.text)</ChecksumCRC32C></Part>"
    }
}

/// A part as the service lists it.
package struct ListedPart: Hashable, Sendable {
    package let number: Int
    package let bytes: Int64
    package let tag: String
    /// `nil` if the service lists none.
    package let checksum: ObjectChecksum?

    package init(number: Int, bytes: Int64, tag: String, checksum: ObjectChecksum?) {
        (self.number, self.bytes, self.tag, self.checksum) = (number, bytes, tag, checksum)
    }

    /// Whether the service has stored a part as it was recorded.
    ///
    /// Not every service lists checksums.
    package func matches(_ part: UploadedPart) -> Bool {
        number == part.number && bytes == part.bytes && Self.bare(tag) == Self.bare(part.tag)
            && checksum ?? part.checksum == part.checksum
    }

    /// Some services quote tags in heads, but not in lists.
    private static func bare(_ tag: String) -> String { tag[...].trimmed(of: "\"") }
}
