internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// The content of a checkpoint.
///
/// It is read without its lock, so it can also be read while its download runs.
public struct CheckpointDescription: Sendable {
    /// The path of the partial file.
    public let partialPath: String
    /// The path of the checkpoint.
    public let checkpointPath: String
    /// The URL from which the bytes were received, with its secrets hidden.
    public let source: String
    /// The other URLs of the file, with their secrets hidden.
    public let mirrors: [String]
    /// The size of the whole file in bytes; `nil` if the server did not report it.
    public let totalBytes: Int64?
    /// The entity tag as the server sent it.
    public let entityTag: String?
    /// The `Last-Modified` field as the server sent it.
    public let lastModified: String?
    /// The media type in lower case, without parameters.
    public let mediaType: String?
    /// A number that grows with each checkpoint of this file.
    public let sequence: UInt64
    /// The ranges that were passed to the kernel.
    ///
    /// They survive the end of the process.
    public let written: [Range<Int64>]
    /// The ranges that were synced to disk.
    ///
    /// They survive a power cut.
    public let durable: [Range<Int64>]
    /// Whether the machine has not been restarted since the checkpoint was written.
    ///
    /// Only then are the `written` ranges usable.
    public let isOfThisBoot: Bool
    /// The number of bytes that a resume would start with, after comparing the ends of all ranges.
    public let usableBytes: Int64
    private let mark: SourceMark?

    /// Reads a checkpoint, given its own path or that of the partial file.
    ///
    /// A download writes its first checkpoint about one second after its first bytes.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable`.
    public init(partialFile path: String) throws(DownloadError) {
        let summary = try CheckpointSummary.read(FilePath(path))
        let checkpoint = summary.checkpoint
        let representation = checkpoint.representation
        partialPath = summary.paths.partial.string
        checkpointPath = summary.paths.checkpoint.string
        let sources = checkpoint.source.split(separator: "\n").map(String.init)
        source = sources.first ?? ""
        mirrors = Array(sources.dropFirst())
        totalBytes = representation.total
        entityTag = representation.entityTag?.description
        lastModified = representation.lastModified
        mediaType = representation.mediaType
        sequence = checkpoint.sequence
        written = Self.ranges(checkpoint.written)
        durable = Self.ranges(checkpoint.durable)
        isOfThisBoot = summary.isOfThisBoot
        usableBytes = summary.usable.count
        mark = checkpoint.mark
    }

    /// Whether the download belongs to this queue, such as a daemon's, instead of another program.
    package func belongs(toQueue queueIdentity: String) -> Bool {
        mark?.belongs(toQueue: queueIdentity) == true
    }

    private static func ranges(_ set: RangeSet) -> [Range<Int64>] {
        set.ranges.map { $0.start..<$0.end }
    }
}
