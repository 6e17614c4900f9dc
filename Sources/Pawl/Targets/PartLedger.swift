package import PawlCore

/// Records the upload of one download and the parts that the service has acknowledged, so that a
/// later run, perhaps on another machine, continues the upload.
///
/// Its calls may block. One download uses it, one call at a time. What a call has recorded survives
/// the end of the process.
package protocol PartLedger: Sendable {
    /// Returns what is recorded.
    func recorded() throws(DownloadError) -> LedgerFinding

    /// Records an upload without parts, or the new state of the recorded one; it replaces everything
    /// that was recorded but the parts of the same upload.
    func record(_ upload: RecordedUpload) throws(DownloadError)

    /// Adds parts, which the service has acknowledged, to the upload with an identifier; a part
    /// replaces an earlier one with the same index.
    ///
    /// If another upload is recorded by now, or none, the parts are ignored.
    func record(_ parts: [RecordedPart], of upload: String) throws(DownloadError)

    /// Forgets the upload, whose object does not exist and whose parts nobody needs.
    func forget() throws(DownloadError)

    /// Forgets the upload, whose object is complete.
    ///
    /// A ledger of a queue does that when the end of the download is recorded: until then, another
    /// run finds the object by its mark.
    func finish() throws(DownloadError)

    /// Lets other runs use the record, because this run has ended.
    func release()
}

extension PartLedger {
    package func finish() throws(DownloadError) { try forget() }

    package func release() {}
}

/// What a ledger has recorded.
package enum LedgerFinding: Sendable {
    case nothing
    case upload(RecordedUpload, [RecordedPart])
    /// The record cannot be used; the upload is known if it can be named all the same.
    case damaged(UploadName?)
}

/// Names an upload, or an object that is stored with one request.
package struct UploadName: Hashable, Sendable {
    /// The service's identifier; empty for an object that is stored with one request.
    package var id: String
    /// The `s3:` URL of its object.
    package var address: String

    package init(id: String, address: String) { (self.id, self.address) = (id, address) }

    /// Whether the service has an upload, which can be continued or aborted.
    var hasUpload: Bool { !id.isEmpty }
}

/// An upload as it is recorded.
package struct RecordedUpload: Hashable, Sendable {
    package enum State: UInt8, Hashable, Sendable, CaseIterable {
        /// Parts are missing.
        case open = 1
        /// The service may have been asked to store the object, of the recorded parts or with one
        /// request.
        case completing = 2
        /// It has to be aborted before another one begins.
        case aborting = 3
        /// As `completing`, and the digest that the user has given was verified before.
        case completingVerified = 4
    }

    package var name: UploadName
    /// The text of the mark that the object will have.
    package var mark: String
    package var representation: Representation
    /// The URLs of the download without their secrets.
    package var source: String
    /// The size of the parts; the length of the file is that of the representation.
    package var partBytes: Int64
    /// The number of runs that have continued the upload before the current one.
    package var attempt: Int
    package var state: State

    package init(
        name: UploadName,
        mark: String,
        representation: Representation,
        source: String,
        partBytes: Int64,
        attempt: Int = 0,
        state: State = .open
    ) {
        (self.name, self.mark) = (name, mark)
        (self.representation, self.source) = (representation, source)
        (self.partBytes, self.attempt, self.state) = (partBytes, attempt, state)
    }
}

/// A part that the service has acknowledged.
package struct RecordedPart: Hashable, Sendable {
    /// The part of the file, counted from 0.
    package var index: Int
    package var part: UploadedPart

    package init(index: Int, part: UploadedPart) { (self.index, self.part) = (index, part) }
}
