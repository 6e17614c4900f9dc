public import struct FoundationEssentials.Data
public import struct FoundationEssentials.Date
public import struct FoundationEssentials.URL

/// A checkpoint as a portable value, which contains what is needed to resume an ended download.
///
/// It can be stored anywhere and used more than once, in another process, and after the partial
/// file was moved. It contains no bytes of the file, only their positions and proofs. So it is
/// useful while the partial file exists and the server still has the same file. Both are checked,
/// and bytes that are not proven are fetched again.
///
/// It never contains credentials or cookies: supply them again (``omittedFields`` names what was
/// left out). It contains the complete URL with the query: if that is a signed link, protect the
/// data as you would protect the link. The checksum detects accidents, not forgery: do not accept
/// the data from anybody from whom you would not accept a URL and the name of a file to write.
public struct ResumeData: Hashable, Sendable {
    /// The content as a reference of one word, because errors contain it.
    private final class Storage: Sendable {
        let content: ResumeContent

        init(_ content: ResumeContent) { self.content = content }
    }

    private let storage: Storage

    package init(_ content: ResumeContent) { storage = Storage(content) }

    package var content: ResumeContent { storage.content }

    /// Parses the output of `data`, written by this version of Pawl or an older one.
    ///
    /// - Throws: `DownloadError` with the code `.invalidResumeData` if the bytes are damaged, were
    ///   written by a newer version, or are not resume data.
    public init(data: some Sequence<UInt8>) throws(DownloadError) {
        // A sequence may be endless.
        self.init(try ResumeFormat.decode(Array(data.prefix(ResumeFormat.longest + 1))))
    }

    /// The value as bytes, with a version and a checksum.
    public var data: Data { Data(ResumeFormat.encode(content)) }

    /// Whether the contents are equal.
    public static func == (left: ResumeData, right: ResumeData) -> Bool {
        left.storage === right.storage || left.content == right.content
    }

    /// Hashes the content.
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension ResumeData {
    /// The version of the format that `data` uses.
    public static var version: Int { Int(ResumeFormat.currentVersion) }

    /// The requested URL, without user and fragment.
    public var url: URL { content.url }
    /// The request's method.
    public var method: String { content.method }
    /// The request's own fields; none of them is secret.
    public var fields: [HTTPField] { content.fields }
    /// The names of the fields that were left out because they are secret.
    ///
    /// They must be supplied again.
    public var omittedFields: [String] { content.omittedFields }
    /// The size of the whole file in bytes; `nil` if the server did not report it.
    public var totalBytes: Int64? { content.representation.total }
    /// The entity tag as the server sent it.
    public var entityTag: String? { content.representation.entityTag?.description }
    /// The `Last-Modified` field as the server sent it.
    public var lastModified: String? { content.representation.lastModified }
    /// The digest that the file must have, if one was given.
    public var expectedDigest: ContentDigest? { content.expectedDigest }
    /// The number of bytes that are claimed to be present.
    public var receivedBytes: Int64 { content.claimed.count }
    /// The ranges that are claimed to be present.
    public var ranges: [Range<Int64>] { content.claimed.ranges.map { $0.start..<$0.end } }
    /// The path of the partial file; `nil` if it is not known, or not UTF-8.
    ///
    /// For Apple's data, the path or the name of the temporary file.
    public var partialPath: String? { Self.text(content.partialPath) }
    /// The path of the finished file; `nil` if it is not known, or not UTF-8.
    public var finalPath: String? { Self.text(content.finalPath) }
    /// The storage key of the download, if it had one.
    public var storageKey: String? { content.storageKey }
    /// Whether another program began the download, so that only the server can prove its bytes.
    public var isImported: Bool { content.isImported }

    /// The time when the checkpoint was written; `nil` if it is not known.
    public var createdAt: Date? {
        guard content.createdAt != 0 else { return nil }
        return Date(timeIntervalSince1970: Double(content.createdAt))
    }

    private static func text(_ path: [UInt8]) -> String? {
        // Replaced bytes would make it the path of another file.
        path.isEmpty ? nil : String(validating: path, as: UTF8.self)
    }
}

extension ResumeData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description for people.
    ///
    /// Possible secrets in the URL are hidden.
    public var description: String {
        let total = totalBytes.map { " of \($0)" } ?? ""
        return "resume data of \(url.redacted): \(receivedBytes)\(total) bytes"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that shows no more than `description`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
