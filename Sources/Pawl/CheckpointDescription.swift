internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// What a checkpoint holds.
///
/// It is read without its lock, so also while its download runs.
public struct CheckpointDescription: Sendable {
    /// The bytes so far.
    public let partialPath: String
    /// Which of them are good.
    public let checkpointPath: String
    /// The URL whose answer the bytes belong to, its secrets hidden.
    public let source: String
    /// The other URLs that it could be fetched from, their secrets hidden.
    public let mirrors: [String]
    /// The whole file's size in bytes, nil where the server did not say.
    public let totalBytes: Int64?
    /// As the server sent it.
    public let entityTag: String?
    /// As the server sent it.
    public let lastModified: String?
    /// Lower case, without parameters.
    public let mediaType: String?
    /// Grows with each checkpoint of this file.
    public let sequence: UInt64
    /// What the kernel had: it survives the end of the process.
    public let written: [Range<Int64>]
    /// What the disk had: it survives the end of the power.
    public let durable: [Range<Int64>]
    /// Whether the machine was not restarted since, so that `written` counts.
    public let isOfThisBoot: Bool
    /// Bytes that a resume would start with, after comparing the ends of all ranges.
    public let usableBytes: Int64
    private let mark: SourceMark?

    /// Reads the checkpoint of a partial file; takes the name of either.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable`.
    public init(partialFile path: String) throws(DownloadError) {
        let summary = try CheckpointFile.describe(FilePath(path))
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

    /// Whether the download belongs to this keeper, such as a daemon's queue, and not to another program.
    package func isKept(by keeper: String) -> Bool { mark?.isKept(by: keeper) == true }

    private static func ranges(_ set: RangeSet) -> [Range<Int64>] {
        set.ranges.map { $0.start..<$0.end }
    }
}
