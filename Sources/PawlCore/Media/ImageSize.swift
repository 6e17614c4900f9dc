/// An image's size in pixels, read from the head of its file without decoding it.
///
/// It is the size as stored: a camera's note that the picture is to be turned is not looked at.
public struct ImageSize: Hashable, Sendable {
    /// Pixels from left to right; at least 1.
    public let width: Int
    /// Pixels from top to bottom; at least 1.
    public let height: Int
    /// What the file is.
    public let format: ImageFormat

    /// Reads the beginning of a file: 32 bytes are enough, but for JPEG.
    ///
    /// In a JPEG the size comes after what cameras and editors put there; 256 KiB are nearly always
    /// enough. Nil where the head is that of no such image, is too short, is broken, or does not say.
    public init?(ofHead head: some Collection<UInt8>) {
        guard let format = ImageFormat(ofHead: head) else { return nil }
        let reader = ImageHead(Array(head))
        let size =
            switch format {
            case .png: reader.pngSize
            case .jpeg: reader.jpegSize
            case .gif: reader.gifSize
            case .webp: reader.webpSize
            case .bmp: reader.bmpSize
            }
        guard let size, size.width > 0, size.height > 0 else { return nil }
        width = size.width
        height = size.height
        self.format = format
    }
}
