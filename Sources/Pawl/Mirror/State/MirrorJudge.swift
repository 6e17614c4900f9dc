package import PawlCore

/// What to do with a file of a mirrored tree (pure).
package enum MirrorStep: Hashable, Sendable {
    /// The file has not changed since it was fetched.
    case unchanged
    /// Only a request shows whether it has changed.
    case ask(MirrorRecord)
    /// There is no file of that name: it is fetched.
    case fetch
    /// The mirror's own file of another URL has the name, and is replaced.
    case replace
    /// A file that the mirror has not fetched, or that was changed since, has the name.
    ///
    /// If there is no record and the file has the server's size and time, it counts as the server's
    /// file.
    case compare(isKnown: Bool)
    /// A folder or the like has the name.
    case blocked
}

package enum MirrorJudge {
    /// Decides by what is known before the file is requested.
    ///
    /// - Parameters:
    ///   - stamp: That of the local file; `nil` if there is none.
    package static func step(
        for file: ListedFile,
        _ record: MirrorRecord?,
        _ stamp: FileStamp?
    ) -> MirrorStep {
        guard let stamp else { return .fetch }
        guard let record else { return .compare(isKnown: false) }
        guard record.isOf(stamp) else { return .compare(isKnown: true) }
        guard record.source == MirrorRecord.source(file.address) else { return .replace }
        if let facts = record.facts, facts == file.facts?.text { return .unchanged }
        return .ask(record)
    }

    /// Whether the server's current version is the one that was fetched.
    package static func isUnchanged(_ record: MirrorRecord, _ now: ServerVersion) -> Bool {
        if now.isConfirmed { return true }
        guard now.size == nil || now.size == record.size else { return false }
        if let tag = record.entityTag, let other = now.entityTag { return tag == other }
        guard now.size != nil, let time = record.lastModified else { return false }
        return time == now.lastModified
    }

    /// Whether a local file that the mirror has not fetched has the size and the time of the
    /// server's, as other tools leave it.
    package static func isSame(_ stamp: FileStamp, _ now: ServerVersion) -> Bool {
        guard now.size == stamp.size, let seconds = now.modifiedSeconds else { return false }
        return stamp.modified.flooredDivision(by: 1_000_000_000).quotient == seconds
    }

    /// Returns the record of a file that was fetched or confirmed.
    package static func record(
        of file: ListedFile,
        _ stamp: FileStamp,
        _ version: ServerVersion
    ) -> MirrorRecord {
        var record = MirrorRecord(
            source: MirrorRecord.source(file.address),
            size: stamp.size,
            modified: stamp.modified
        )
        record.entityTag = version.entityTag
        // A file may change twice within the second of its time (RFC 9110 §8.8.2.2).
        if let time = version.modifiedSeconds, let date = version.date, date > time {
            record.lastModified = version.lastModified
        }
        let isProof = file.facts?.isProof(
            byteCount: stamp.size,
            modified: version.modifiedSeconds,
            now: version.date.map { $0 - version.clockError }
        )
        if isProof == true { record.facts = file.facts?.text }
        return record
    }
}

/// The version of a file that a server has, as its response shows it.
package struct ServerVersion: Hashable, Sendable {
    /// Whether the server confirms that the file has not changed since the version that the request
    /// named (304).
    package var isConfirmed = false
    package var size: Int64?
    package var entityTag: String?
    package var lastModified: String?
    /// The time of the response in seconds since 1970.
    package var date: Int64?
    /// The number of seconds by which `date` may differ from the server's own time.
    package var clockError: Int64 = 0

    package init() {}

    /// Reads the status and the fields of a response.
    package init(status: Int, _ fields: [HTTPField]) {
        isConfirmed = status == 304
        entityTag = fields.value("ETag")
        lastModified = fields.value("Last-Modified")
        date = fields.value("Date").flatMap(HTTPDate.init(parsing:))?.secondsSince1970
        if !isConfirmed, fields.value("Content-Encoding") == nil {
            size = fields.value("Content-Length").flatMap { Int64($0) }
        }
    }

    package var modifiedSeconds: Int64? {
        lastModified.flatMap(HTTPDate.init(parsing:))?.secondsSince1970
    }
}
