/// A format of images whose head contains their size.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
    /// Portable Network Graphics (RFC 2083).
    case png
    /// JPEG (ITU-T T.81).
    case jpeg
    /// Graphics Interchange Format, 87a and 89a.
    case gif
    /// WebP (RFC 9649).
    case webp
    /// Windows bitmap.
    case bmp

    /// Recognizes the format by its first bytes, of which 12 are enough; `nil` if it is not one of
    /// these formats.
    public init?(ofHead head: some Sequence<UInt8>) {
        let start = Array(head.prefix(12))
        func begins(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
            start.dropFirst(offset).starts(with: bytes)
        }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if begins([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
            self = .gif
        } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
            self = .webp
        } else if begins(Array("BM".utf8)) {
            self = .bmp
        } else {
            return nil
        }
    }

    /// The media type, such as `image/png`.
    public var mediaType: String { "image/\(rawValue)" }
}
