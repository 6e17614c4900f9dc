internal import PawlCore

/// The request that stores an object as a whole.
package struct ObjectPut: Sendable {
    private let target: ObjectTarget
    private let facts: ObjectFacts
    private let condition: WriteCondition?

    package init(
        _ target: ObjectTarget,
        _ facts: ObjectFacts = ObjectFacts(),
        if condition: WriteCondition?
    ) {
        (self.target, self.facts, self.condition) = (target, facts, condition)
    }

    /// Returns the request.
    package func upload(_ content: ObjectContent) -> ContentUpload {
        let fields = facts.fields + (condition.map { [$0.field] } ?? [])
        return content.upload(with: target.request("PUT", fields: fields))
    }

    /// Reads the response.
    package func stored(
        _ upload: ContentUpload,
        _ reply: ServiceReply
    ) throws(ObjectFailure) -> StoredContent {
        try StoredContent(upload, reply)
    }
}

/// What the service has stored, as its response proves it.
package struct StoredContent: Hashable, Sendable {
    /// Its entity tag, as the service sent it.
    package let tag: String
    /// The checksum of what was sent.
    package let checksum: ObjectChecksum

    init(_ upload: ContentUpload, _ reply: ServiceReply) throws(ObjectFailure) {
        let reply = try MultipartReply(reply)
        guard let checksum = upload.checksum else {
            throw .unclear("the service has answered before it received everything")
        }
        try reply.check(checksum)
        guard let tag = reply.tag else { throw .unclear("the response has no tag") }
        (self.tag, self.checksum) = (tag, checksum)
    }
}
