public import struct FoundationEssentials.Date
public import PawlCore

/// A finished file of a library.
public struct LibraryFile: Sendable, Hashable, Codable {
    /// The user's own name for the file.
    public let key: StorageKey
    /// The path of the file.
    public let path: String
    /// The file's name in the library's folder.
    public let name: String
    /// The file's size in bytes.
    public let byteCount: Int64
    /// The digest that the undamaged file has; `nil` if none was computed.
    public let digest: ContentDigest?
    /// The media type in lower case, without parameters.
    public let mediaType: String?
    /// The entity tag as the server sent it.
    public let entityTag: String?
    /// The `Last-Modified` field as the server sent it.
    public let lastModified: String?
    /// The URL that the file came from, with its secrets hidden; empty if a program wrote the file.
    public let source: String
    /// The time when the file was completed.
    public let finishedAt: Date

    package init(_ file: KnownFile, in folder: String) {
        let record = file.record
        key = record.key
        path = folder + "/" + file.name.text
        name = file.name.text
        byteCount = record.byteCount
        digest = record.digest
        mediaType = record.mediaType
        entityTag = record.entityTag?.description
        lastModified = record.lastModified
        source = record.source
        finishedAt = Date(timeIntervalSince1970: Double(record.finishedAt))
    }
}
