package import PawlCore

/// What a service reports of a stored object.
package struct ObjectHead: Hashable, Sendable {
    static let metadataPrefix = "x-amz-meta-"

    package let bytes: Int64
    /// Its entity tag, as the service sent it.
    package let tag: String
    /// `nil` if the service knows none, or another one.
    ///
    /// Of an upload in parts, it may be that of the parts' checksums even if their number is missing.
    package let checksum: ObjectChecksum?
    /// `nil` if the bucket keeps no versions.
    package let version: String?
    /// The names, in lower case and without `x-amz-meta-`, and the values.
    package let metadata: [String: String]

    /// Returns the request for the newest object of a key.
    package static func request(for target: ObjectTarget) -> TransferRequest {
        target.request("HEAD")
    }

    /// Reads the response to `request`; `nil` if there is no object.
    package init?(_ reply: ServiceReply) throws(ObjectFailure) {
        let checked: MultipartReply
        do throws(ObjectFailure) {
            checked = try MultipartReply(reply)
        } catch .refused(let refusal) where refusal.status == 404 && refusal.code != "NoSuchBucket"
        {
            return nil
        }
        let head = checked.head
        guard let bytes = head["Content-Length"].flatMap({ Int64($0) }), bytes >= 0,
            let tag = checked.tag
        else { throw .unclear("the response has no size or no tag of the object") }
        (self.bytes, self.tag, checksum) = (bytes, tag, checked.checksum)
        version = head["x-amz-version-id"].flatMap { $0 == "null" ? nil : $0 }
        var metadata: [String: String] = [:]
        for field in head.fields {
            let name = field.name.lowercased()
            guard name.hasPrefix(Self.metadataPrefix) else { continue }
            metadata[String(name.dropFirst(Self.metadataPrefix.count))] = field.value
        }
        self.metadata = metadata
    }
}
