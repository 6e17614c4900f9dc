package import PawlCore

/// A resource of the origin: its bytes and its header fields.
package struct Resource: Sendable {
    package enum Content: Sendable {
        case pattern(ContentPattern)
        case bytes([UInt8])
    }

    package var content: Content
    package var size: Int64
    /// The entity tag with its quotes, and with `W/` if it is weak; `nil` omits the field.
    package var entityTag: String?
    /// An HTTP date; `nil` omits the field.
    package var lastModified: String?
    /// An HTTP date; `nil` omits the field.
    package var date: String?
    package var mediaType: String? = "application/octet-stream"
    /// Whether the resource serves ranges; if not, every range gets the whole, and the field is
    /// `none`.
    package var acceptsRanges = true
    /// The methods that get the resource; others get a 405.
    package var methods: Set = ["GET", "HEAD"]
    /// Additional fields, sent after the others with every 200 and 206.
    package var fields: [HTTPField] = []

    /// Creates a resource with the bytes of the pattern with the given seed.
    ///
    /// Each seed is a separate version of the file, with its own entity tag and date.
    package init(size: Int64, seed: UInt64 = 1) {
        self.init(.pattern(ContentPattern(seed: seed)), size: size, version: seed)
    }

    package init(bytes: [UInt8]) {
        let version = bytes.reduce(UInt64(bytes.count)) { SplitMix64.mix($0 ^ UInt64($1)) }
        self.init(.bytes(bytes), size: Int64(bytes.count), version: version)
    }

    package init(text: String) { self.init(bytes: Array(text.utf8)) }

    private init(_ content: Content, size: Int64, version: UInt64) {
        self.content = content
        self.size = max(0, size)
        entityTag = "\"v\(version)\""
        lastModified =
            HTTPDate(
                secondsSince1970: 1_704_164_645 + Int64(version % 365) * 86_400
            ).text
        date = HTTPDate(secondsSince1970: 1_767_236_645).text
    }

    /// Returns all bytes or those of a range; use it for small resources only.
    package func bytes(_ range: ByteRange? = nil) -> [UInt8] {
        let range = (range ?? ByteRange(0, size)).intersection(ByteRange(0, size))
        switch content {
        case .pattern(let pattern): return pattern.bytes(at: range.start, count: Int(range.count))
        case .bytes(let bytes): return Array(bytes[Int(range.start)..<Int(range.end)])
        }
    }
}

extension Resource.Content {
    /// Fills `buffer` with the bytes from `offset` on, and with zeros after the end of given
    /// bytes.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) {
        switch self {
        case .pattern(let pattern):
            pattern.fill(buffer, at: offset)
        case .bytes(let bytes):
            let start = min(Int(offset), bytes.count)
            let present = bytes[start..<min(bytes.count, start + buffer.count)]
            buffer.copyBytes(from: present)
            for index in present.count..<max(present.count, buffer.count) { buffer[index] = 0 }
        }
    }
}
