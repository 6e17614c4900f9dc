package import PawlCore

/// One upload of an object in parts, which becomes an object when it is completed.
///
/// The requests and their responses are values; a transport sends the requests.
package struct MultipartUpload: Sendable {
    package let id: String
    private let target: ObjectTarget

    /// Names an upload that was begun.
    package init(_ id: String, of target: ObjectTarget) { (self.id, self.target) = (id, target) }

    private func query(_ others: (name: String, value: String)...) -> [(
        name: String, value: String
    )] {
        others + [("uploadId", id)]
    }

    // MARK: - Beginning

    /// Returns the request that begins an upload.
    package static func beginning(
        of target: ObjectTarget,
        _ facts: ObjectFacts = ObjectFacts()
    ) -> TransferRequest {
        target.request(
            "POST",
            query: [("uploads", "")],
            fields: facts.fields + [
                HTTPField(name: "x-amz-checksum-algorithm", value: ObjectChecksum.algorithm)
            ]
        )
    }

    /// Reads the response to `beginning`.
    package init(begunBy reply: ServiceReply, of target: ObjectTarget) throws(ObjectFailure) {
        var id = ""
        try MultipartReply(reply).read("InitiateMultipartUpload") { name, text in
            if name == "UploadId" { id = text }
        }
        guard !id.isEmpty else { throw .unclear("the response has no identifier of the upload") }
        self.init(id, of: target)
    }

    // MARK: - Parts

    /// Returns the request that stores a part; it replaces an earlier part of the same number.
    package func part(_ number: Int, _ content: ObjectContent) -> ContentUpload {
        let query = query(("partNumber", "\(number)"))
        return content.upload(with: target.request("PUT", query: query))
    }

    /// Reads the response to `part`.
    package func uploadedPart(
        _ number: Int,
        _ upload: ContentUpload,
        _ reply: ServiceReply
    ) throws(ObjectFailure) -> UploadedPart {
        let stored = try StoredContent(upload, reply)
        return UploadedPart(
            number: number,
            bytes: upload.bytes,
            tag: stored.tag,
            checksum: stored.checksum
        )
    }

    /// Returns the request for a list of the parts that were stored.
    package func parts(after number: Int = 0) -> TransferRequest {
        target.request("GET", query: query(("part-number-marker", "\(number)")))
    }

    /// Reads the response to `parts` for the parts after `number`.
    ///
    /// Returns the parts, and the number after which the list continues; `nil` if it is complete.
    package func listedParts(
        _ reply: ServiceReply,
        after number: Int = 0
    ) throws(ObjectFailure) -> (parts: [ListedPart], next: Int?) {
        var page = PartsPage()
        try MultipartReply(reply).read("ListParts") { name, text in page.take(name, text) }
        guard page.isSound else {
            throw .unclear("the list has a part without number, size or tag")
        }
        guard page.isTruncated else { return (page.parts, nil) }
        // A list that does not advance would never end.
        guard let next = page.next, let last = page.parts.last, next >= last.number, next > number
        else {
            throw .unclear("the list of parts does not report where it continues")
        }
        return (page.parts, next)
    }

    // MARK: - Ending

    /// Returns the request that makes an object of the parts, in ascending order of their numbers.
    ///
    /// Sending it again with the same parts has no other effect.
    package func completion(
        of parts: [UploadedPart],
        if condition: WriteCondition?
    ) -> TransferRequest {
        var fields = [HTTPField(name: "Content-Type", value: "application/xml")]
        if let condition { fields.append(condition.field) }
        var request = target.request("POST", query: query(), fields: fields)
        let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"
        let list = parts.map(\.element).joined()
        request.body = Array(
            "<CompleteMultipartUpload xmlns=\"\(namespace)\">\(list)</CompleteMultipartUpload>".utf8
        )
        return request
    }

    /// Reads the response to `completion`, and returns the tag of the object.
    package func completedTag(
        of parts: [UploadedPart],
        _ reply: ServiceReply
    ) throws(ObjectFailure) -> String {
        var (tag, checksum) = ("", nil as ObjectChecksum?)
        try MultipartReply(reply).read("CompleteMultipartUpload") { name, text in
            switch name {
            case "ETag": tag = text
            case "ChecksumCRC32C": checksum = ObjectChecksum(text)
            default: break
            }
        }
        guard !tag.isEmpty else { throw .unclear("the response has no tag of the object") }
        let sent = ObjectChecksum(ofPartsWith: parts.map(\.checksum))
        if let checksum, checksum.parts != nil, checksum != sent { throw .altered }
        return tag
    }

    /// Returns the request that drops the upload and its parts.
    package func abortion() -> TransferRequest { target.request("DELETE", query: query()) }

    /// Reads the response to `abortion`.
    ///
    /// It is the same whether the upload was dropped now or earlier: it does not exist any more.
    package func checkAborted(_ reply: ServiceReply) throws(ObjectFailure) {
        do throws(ObjectFailure) {
            _ = try MultipartReply(reply)
        } catch .refused(let refusal) where refusal.status == 404 && refusal.code != "NoSuchBucket"
        {
            return
        }
    }
}

/// What a page of the list of parts contains.
private struct PartsPage {
    private(set) var parts: [ListedPart] = []
    private(set) var isTruncated = false
    private(set) var next: Int?
    private(set) var isSound = true
    private var number: Int?
    private var bytes: Int64?
    private var tag: String?
    private var checksum: ObjectChecksum?

    mutating func take(_ name: String, _ text: String) {
        switch name {
        case "PartNumber": number = Int(text)
        case "Size": bytes = Int64(text)
        case "ETag": tag = text
        case "ChecksumCRC32C": checksum = ObjectChecksum(text)
        case "IsTruncated": isTruncated = text == "true"
        case "NextPartNumberMarker": next = Int(text)
        case "Part":
            if let number, let bytes, let tag {
                parts.append(
                    ListedPart(number: number, bytes: bytes, tag: tag, checksum: checksum)
                )
            } else {
                isSound = false
            }
            (number, bytes, tag, checksum) = (nil, nil, nil, nil)
        default: break
        }
    }
}
