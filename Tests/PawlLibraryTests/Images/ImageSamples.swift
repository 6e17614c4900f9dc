import PawlCore
import PawlLibrary
import Testing

/// Heads of images of a given size, built according to the formats.
enum ImageSamples {
    struct Sample: Sendable, CustomTestStringConvertible {
        var name: String
        var format: ImageFormat
        var largest: Int
        var make: @Sendable (_ width: Int, _ height: Int) -> [UInt8]

        init(
            _ name: String,
            _ format: ImageFormat,
            largest: Int,
            _ make: @escaping @Sendable (_ width: Int, _ height: Int) -> [UInt8]
        ) {
            self.name = name
            self.format = format
            self.largest = largest
            self.make = make
        }

        var testDescription: String { name }
    }

    private static let long = 0x7FFF_FFFF

    static let all = [
        Sample("PNG", .png, largest: long) { png($0, $1) },
        Sample("PNG of Apple's", .png, largest: long) { applePNG($0, $1) },
        Sample("JPEG", .jpeg, largest: 0xFFFF) { jpeg(0xC0, $0, $1) },
        Sample("progressive JPEG", .jpeg, largest: 0xFFFF) { jpeg(0xC2, $0, $1) },
        Sample("GIF", .gif, largest: 0xFFFF) { gif("GIF89a", $0, $1) },
        Sample("old GIF", .gif, largest: 0xFFFF) { gif("GIF87a", $0, $1) },
        Sample("lossy WebP", .webp, largest: 0x3FFF) { lossyWebP($0, $1) },
        Sample("lossless WebP", .webp, largest: 0x4000) { losslessWebP($0, $1) },
        Sample("extended WebP", .webp, largest: 0x100_0000) { extendedWebP($0, $1) },
        Sample("BMP", .bmp, largest: long) { bmp(40, little($0, 4), little($1, 4)) },
        Sample("BMP from top to bottom", .bmp, largest: long) {
            bmp(124, little($0, 4), little(-$1, 4))
        },
        Sample("old BMP", .bmp, largest: 0xFFFF) { bmp(12, little($0, 2), little($1, 2)) },
    ]

    static func png(_ width: Int, _ height: Int) -> [UInt8] {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return join(signature, big(13, 4), text("IHDR"), big(width, 4), big(height, 4), [8, 6, 0])
    }

    private static func applePNG(_ width: Int, _ height: Int) -> [UInt8] {
        let png = png(width, height)
        let first = join(big(4, 4), text("CgBI"), big(0x5000_2002, 4), big(0, 4))
        return join(Array(png[..<8]), first, Array(png[8...]))
    }

    /// A JPEG with the data that cameras put before the frame, and more fill bytes than usual.
    static func jpeg(_ frame: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
        let beginning = join([0xFF, 0xD8, 0xFF, 0xE0], big(9, 2), text("JFIF"), [0, 1, 1])
        // A thumbnail within the metadata contains a frame, too.
        let metadata = join([0xFF, 0xE1], big(12, 2), [0xFF, 0xC0, 0, 8, 8, 0, 1, 0, 1, 1])
        let table = join([0xFF, 0xFF, 0xFF, 0xC4], big(5, 2), [1, 2, 3])
        let size = join([0xFF, frame], big(17, 2), [8], big(height, 2), big(width, 2), [3])
        return join(beginning, metadata, table, size)
    }

    private static func gif(_ version: String, _ width: Int, _ height: Int) -> [UInt8] {
        join(text(version), little(width, 2), little(height, 2), [0xF7, 0, 0])
    }

    /// The two highest bits of each number define the scaling.
    private static func lossyWebP(_ width: Int, _ height: Int) -> [UInt8] {
        let start: [UInt8] = [0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A]
        return webp("VP8 ", join(start, little(width | 0x4000, 2), little(height | 0x8000, 2)))
    }

    private static func losslessWebP(_ width: Int, _ height: Int) -> [UInt8] {
        let bits = (width - 1) | ((height - 1) << 14) | (1 << 28)
        return webp("VP8L", join([0x2F], little(bits, 4)))
    }

    private static func extendedWebP(_ width: Int, _ height: Int) -> [UInt8] {
        webp("VP8X", join([0x10, 0, 0, 0], little(width - 1, 3), little(height - 1, 3)))
    }

    private static func webp(_ kind: String, _ chunk: [UInt8]) -> [UInt8] {
        join(
            text("RIFF"),
            little(100, 4),
            text("WEBP"),
            text(kind),
            little(chunk.count, 4),
            chunk
        )
    }

    private static func bmp(_ head: Int, _ width: [UInt8], _ height: [UInt8]) -> [UInt8] {
        join(
            text("BM"),
            little(1000, 4),
            little(0, 4),
            little(54, 4),
            little(head, 4),
            width,
            height
        )
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func join(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        little(value, count).reversed()
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
