/// The first bytes of an image and the numbers in them; a missing number is `nil`.
struct ImageHead {
    typealias Size = (width: Int, height: Int)

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The size of a PNG: the first chunk is IHDR (RFC 2083 §3.2 and §4.1.1).
    ///
    /// Apple puts one of its own before it.
    var pngSize: Size? {
        let first = text(at: 12) == "CgBI" ? 24 : 8
        guard big(4, at: first) == 13, text(at: first + 4) == "IHDR",
            let width = big(4, at: first + 8), let height = big(4, at: first + 12),
            max(width, height) <= Int(Int32.max)
        else { return nil }
        return (width, height)
    }

    /// The size of a JPEG: segments up to the frame's header (T.81 annex B).
    var jpegSize: Size? {
        var offset = 2
        while byte(at: offset) == 0xFF {
            // Any number of these bytes may precede a marker.
            while byte(at: offset + 1) == 0xFF { offset += 1 }
            guard let marker = byte(at: offset + 1) else { return nil }
            switch marker {
            case 0x01, 0xD0...0xD8:
                offset += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = big(2, at: offset + 5), let width = big(2, at: offset + 7) else {
                    return nil
                }
                return (width, height)
            case 0x00, 0xD9, 0xDA:
                // The picture begins or ends without a frame.
                return nil
            default:
                guard let length = big(2, at: offset + 2), length >= 2 else { return nil }
                offset += 2 + length
            }
        }
        return nil
    }

    /// The size of a GIF: the logical screen.
    var gifSize: Size? {
        guard let width = little(2, at: 6), let height = little(2, at: 8) else { return nil }
        return (width, height)
    }

    /// The size of a WebP image: lossy, lossless or extended (RFC 9649 §2.4 to §2.7).
    var webpSize: Size? {
        switch text(at: 12) {
        case "VP8 ": lossySize
        case "VP8L": losslessSize
        case "VP8X":
            little(3, at: 24).flatMap { width in
                little(3, at: 27).map { (width + 1, $0 + 1) }
            }
        default: nil
        }
    }

    /// The size in a key frame (RFC 6386 §9.1).
    ///
    /// The two highest bits of each number are a scale.
    private var lossySize: Size? {
        guard let tag = byte(at: 20), tag & 1 == 0, big(3, at: 23) == 0x9D_012A,
            let width = little(2, at: 26), let height = little(2, at: 28)
        else { return nil }
        return (width & 0x3FFF, height & 0x3FFF)
    }

    /// The size in 14 bits each, minus one; the version is 0 (RFC 9649 §3.4).
    private var losslessSize: Size? {
        guard byte(at: 20) == 0x2F, let bits = little(4, at: 21), bits >> 29 == 0 else {
            return nil
        }
        return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }

    /// The size of a BMP.
    ///
    /// One of several headers follows the file's; only the oldest has short numbers.
    ///
    /// A negative height means that the rows run from top to bottom.
    var bmpSize: Size? {
        guard let length = little(4, at: 14) else { return nil }
        if length == 12 {
            guard let width = little(2, at: 18), let height = little(2, at: 20) else { return nil }
            return (width, height)
        }
        guard (16...256).contains(length), let width = little(4, at: 18),
            let height = little(4, at: 22), width <= Int(Int32.max)
        else { return nil }
        return (width, height <= Int(Int32.max) ? height : (1 << 32) - height)
    }

    private func byte(at offset: Int) -> UInt8? {
        bytes.indices.contains(offset) ? bytes[offset] : nil
    }

    private func part(_ count: Int, at offset: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, offset <= bytes.count, bytes.count - offset >= count else { return nil }
        return bytes[offset..<offset + count]
    }

    /// Reads up to four bytes, the highest first.
    private func big(_ count: Int, at offset: Int) -> Int? {
        part(count, at: offset)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads up to four bytes, the lowest first.
    private func little(_ count: Int, at offset: Int) -> Int? {
        part(count, at: offset)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func text(at offset: Int) -> String? {
        part(4, at: offset).map { String(decoding: $0, as: UTF8.self) }
    }
}
