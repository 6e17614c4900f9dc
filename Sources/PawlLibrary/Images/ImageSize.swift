internal import Glibc
public import PawlCore
internal import PawlStorage
internal import SystemPackage

/// An image's size in pixels, read from the head of its file without decoding it.
///
/// It is the size as stored. A camera's orientation mark is ignored.
public struct ImageSize: Hashable, Sendable {
    /// The width in pixels, at least 1.
    public let width: Int
    /// The height in pixels, at least 1.
    public let height: Int
    /// The format of the image.
    public let format: ImageFormat

    /// The number of bytes that are read of a file.
    private static let mostHeadBytes = 256 << 10
    /// The threads that read files.
    private static let pool = BlockingPool(threads: 2, name: "pawl-images")

    /// Reads the size from the beginning of a file.
    ///
    /// 32 bytes are enough, except for JPEG.
    ///
    /// In a JPEG the size follows the data of cameras and editors; 256 KiB are nearly always
    /// enough. Returns `nil` if the head is not that of such an image, is too short or damaged, or
    /// does not contain the size.
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

    /// Reads the size from the first 256 KiB of a file.
    ///
    /// ```swift
    /// if let size = try await ImageSize(ofFile: file.path) { print(size.width, size.height) }
    /// ```
    ///
    /// Returns `nil` if they do not contain the size of an image, as `init(ofHead:)` does.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable` if the file cannot be read.
    public init?(ofFile path: String) async throws(DownloadError) {
        let path = FilePath(path)
        let head = try await Self.pool.run { () throws(DownloadError) in
            // A pipe without a writer must not block.
            try attempt(
                .inspect,
                path,
                OpenFile(path, O_RDONLY | O_NONBLOCK).contents(limit: Self.mostHeadBytes)
            )
        }
        self.init(ofHead: head)
    }
}
