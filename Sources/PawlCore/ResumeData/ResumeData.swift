public import struct FoundationEssentials.Data
public import struct FoundationEssentials.Date
public import struct FoundationEssentials.URL

/// A checkpoint as a portable value: what is needed to go on with a download that ended.
///
/// It may be kept anywhere, used more than once and in another process, also after the partial file
/// was moved. It holds no bytes of the file, only where they are and what proves them: it is worth
/// something as long as the partial file is there and the server still has the same file. Both are
/// checked; what is not proven is fetched again.
///
/// Credentials and cookies are never in it (``omittedFields`` names what was left out): give them
/// again. The URL is in it as a whole, the query included: where that is a signed one, keep the data
/// as you would keep the link. It is checked against accidents, not against forgers: take it from
/// nobody from whom you would not take a URL and the name of a file to be written.
public struct ResumeData: Hashable, Sendable {
    /// A value of one word: errors carry it.
    private final class Storage: Sendable {
        let content: ResumeContent

        init(_ content: ResumeContent) { self.content = content }
    }

    private let storage: Storage

    package init(_ content: ResumeContent) { storage = Storage(content) }

    package var content: ResumeContent { storage.content }

    /// Reads what `data` gave, of this version of Pawl or an older one.
    ///
    /// - Throws: `DownloadError` with the code `.invalidResumeData`, where the bytes are damaged, of a
    ///   newer version or something else.
    public init(data: some Sequence<UInt8>) throws(DownloadError) {
        // A sequence may have no end.
        self.init(try ResumeFormat.decode(Array(data.prefix(ResumeFormat.longest + 1))))
    }

    /// The value as bytes, with a version and a checksum.
    public var data: Data { Data(ResumeFormat.encode(content)) }

    /// Two are the same where they say the same.
    public static func == (left: ResumeData, right: ResumeData) -> Bool {
        left.storage === right.storage || left.content == right.content
    }

    /// Hashes what it says.
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension ResumeData {
    /// The version of the form that `data` gives.
    public static var version: Int { Int(ResumeFormat.currentVersion) }

    /// What was asked for, without user and fragment.
    public var url: URL { content.url }
    /// The request's method.
    public var method: String { content.method }
    /// The request's own fields, none of them secret.
    public var fields: [HTTPField] { content.fields }
    /// The names of the fields that were left out, as they are secret: they must be given again.
    public var omittedFields: [String] { content.omittedFields }
    /// The whole file's size in bytes, nil where the server did not say.
    public var totalBytes: Int64? { content.representation.total }
    /// As the server sent it.
    public var entityTag: String? { content.representation.entityTag?.description }
    /// As the server sent it.
    public var lastModified: String? { content.representation.lastModified }
    /// The digest that the file was to have, where one was given.
    public var expectedDigest: ContentDigest? { content.expectedDigest }
    /// How many bytes are said to be there.
    public var receivedBytes: Int64 { content.claimed.count }
    /// Which bytes are said to be there.
    public var ranges: [Range<Int64>] { content.claimed.ranges.map { $0.start..<$0.end } }
    /// Where the partial file was; of Apple's data the path or the bare name of the temporary file.
    public var partialPath: String? { Self.text(content.partialPath) }
    /// Where the finished file was to be.
    public var finalPath: String? { Self.text(content.finalPath) }
    /// The storage key of the download, if it had one.
    public var storageKey: String? { content.storageKey }
    /// Whether another program began the download, so that only the server can prove its bytes.
    public var isImported: Bool { content.isImported }

    /// When the checkpoint was written; nil where that is not known.
    public var createdAt: Date? {
        guard content.createdAt != 0 else { return nil }
        return Date(timeIntervalSince1970: Double(content.createdAt))
    }

    private static func text(_ path: [UInt8]) -> String? {
        path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
    }
}

extension ResumeData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// For people; what looks secret in the URL is hidden.
    public var description: String {
        let total = totalBytes.map { " of \($0)" } ?? ""
        return "resume data of \(url.redacted): \(receivedBytes)\(total) bytes"
    }

    /// As `description`.
    public var debugDescription: String { description }

    /// Shows no more than `description`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
