package import PawlCore
internal import struct FoundationEssentials.URL

/// An object to be written, and the requests for it.
package struct ObjectTarget: Sendable {
    /// A request for the object, from which all others are made.
    private let template: TransferRequest
    /// The object's URL, without a query.
    private let address: String

    /// Creates a target from a request for an `s3:` URL, whose credentials and settings of the
    /// connection all requests have; `nil` if it does not name an object.
    package init?(_ template: TransferRequest) {
        guard let object = S3Object(template.url), !object.key.isEmpty,
            object.queryItems.isEmpty
        else { return nil }
        self.template = template
        let address = "s3://\(object.bucket)/\(object.key.percentEncoded(except: "/"))"
        guard URL(string: "\(address)?name=value") != nil else { return nil }
        self.address = address
    }

    /// Returns a request; the names and values of the query are not encoded.
    func request(
        _ method: String,
        query: [(name: String, value: String)] = [],
        fields: [HTTPField] = []
    ) -> TransferRequest {
        var request = template
        request.method = method
        request.fields += fields
        let text = RequestSignature.text(of: query)
        guard !text.isEmpty else { return request }
        if let url = URL(string: "\(address)?\(text)") {
            request.url = url
        } else {
            // Without its query, the request could delete the object. No transport sends this one.
            request.method = ""
        }
        return request
    }
}

/// What is stored with an object.
package struct ObjectFacts: Hashable, Sendable {
    package var contentType: String?
    /// Names without `x-amz-meta-`, and values in ASCII.
    package var metadata: [String: String]

    package init(contentType: String? = nil, metadata: [String: String] = [:]) {
        (self.contentType, self.metadata) = (contentType, metadata)
    }

    var fields: [HTTPField] {
        let type = contentType.map { [HTTPField(name: "Content-Type", value: $0)] } ?? []
        return type
            + metadata.sorted { $0.key < $1.key }.map { name, value in
                HTTPField(name: ObjectHead.metadataPrefix + name, value: value)
            }
    }
}

/// The condition under which an object is written (RFC 9110 §13.1).
package enum WriteCondition: Hashable, Sendable {
    /// There is no object of that key.
    case absent
    /// The object has this entity tag, as the server sent it.
    case unchanged(tag: String)

    var field: HTTPField {
        switch self {
        case .absent: HTTPField(name: "If-None-Match", value: "*")
        case .unchanged(let tag): HTTPField(name: "If-Match", value: tag)
        }
    }
}
