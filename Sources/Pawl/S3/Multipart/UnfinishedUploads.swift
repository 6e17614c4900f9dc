package import PawlCore
internal import struct FoundationEssentials.URL

/// The list of a bucket's uploads that were neither completed nor aborted, page by page.
package struct UnfinishedUploads: Sendable {
    package struct Entry: Hashable, Sendable {
        package let key: [UInt8]
        package let id: String
        /// When it was begun, as the service writes it; some services do not know it.
        package let begun: String
    }

    private let template: TransferRequest
    private let bucket: String
    private let prefix: [UInt8]
    /// The key and the upload after which the next page begins.
    private var marker: (key: String, id: String)?
    private var seen: Set<String> = []
    private var isComplete = false

    /// Creates the list of the uploads of objects whose keys begin with that of a request's `s3:`
    /// URL, which may name only a bucket; `nil` if it is another URL.
    package init?(below template: TransferRequest) {
        guard let object = S3Object(template.url), object.queryItems.isEmpty else { return nil }
        (self.template, bucket, prefix) = (template, object.bucket, object.key)
    }

    /// Returns the request for the next page; `nil` after the last one.
    package func nextPage() -> TransferRequest? {
        guard !isComplete else { return nil }
        var query = ["uploads=", "encoding-type=url", "prefix=" + prefix.percentEncoded()]
        if let marker {
            query.append("key-marker=" + marker.key.utf8.percentEncoded())
            query.append("upload-id-marker=" + marker.id.utf8.percentEncoded())
        }
        guard let url = URL(string: "s3://\(bucket)/?" + query.joined(separator: "&")) else {
            return nil
        }
        var request = template
        (request.url, request.method) = (url, "GET")
        return request
    }

    /// Reads the response to `nextPage`.
    package mutating func read(_ reply: ServiceReply) throws(ObjectFailure) -> [Entry] {
        var page = UploadsPage()
        try MultipartReply(reply).read("ListMultipartUploads") { name, text in
            page.take(name, text)
        }
        isComplete = !page.isTruncated
        if page.isTruncated {
            let next = page.next
            guard !next.key.isEmpty, seen.insert("\(next.key)\n\(next.id)").inserted else {
                throw .unclear("the list of uploads does not report where it continues")
            }
            marker = (page.decoded(next.key), next.id)
        }
        return page.entries.filter { $0.key.starts(with: prefix) }
    }
}

/// What a page of the list contains.
private struct UploadsPage {
    private var texts: [(key: String, id: String, begun: String)] = []
    private var (key, id, begun) = ("", "", "")
    private var isEncoded = false
    private(set) var isTruncated = false
    private(set) var next = (key: "", id: "")

    mutating func take(_ name: String, _ text: String) {
        switch name {
        case "Key": key = text
        case "UploadId": id = text
        case "Initiated": begun = text
        case "Upload":
            texts.append((key, id, begun))
            (key, id, begun) = ("", "", "")
        case "EncodingType": isEncoded = text == "url"
        case "IsTruncated": isTruncated = text == "true"
        case "NextKeyMarker": next.key = text
        case "NextUploadIdMarker": next.id = text
        default: break
        }
    }

    var entries: [UnfinishedUploads.Entry] {
        texts.map { key, id, begun in
            UnfinishedUploads.Entry(key: bytes(key), id: id, begun: begun)
        }
    }

    func decoded(_ key: String) -> String { String(decoding: bytes(key), as: UTF8.self) }

    /// The bytes of a key; in this encoding, a space may be a plus sign.
    private func bytes(_ key: String) -> [UInt8] {
        isEncoded ? key.replacingASCII("+", with: " ").percentDecodedBytes : Array(key.utf8)
    }
}
