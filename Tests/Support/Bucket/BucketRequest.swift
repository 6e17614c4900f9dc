package import PawlCore

/// A request that reached a scripted bucket, and what became of it.
package struct BucketRequest: Sendable {
    /// The number of the request at the bucket, in order of arrival, from 1.
    package var number: Int
    package var operation: BucketOperation
    /// The number of the request among those of its operation, from 1.
    package var ordinal: Int
    package var bucket: String
    package var key: String
    package var partNumber: Int?
    package var uploadID: String?
    /// The fields as received.
    package var fields: [HTTPField]
    /// The size of the payload, without the framing of `aws-chunked`.
    package var payloadBytes = 0
    /// The status of the answer; `nil` until there is one, and if the connection ended without it.
    package var status: Int?
    /// The code of the error, such as `NoSuchUpload`; `nil` for a success.
    package var errorCode: String?
    /// Whether the bucket has carried out the operation.
    package var hadEffect = false
    /// Whether the exchange has ended.
    package var hasEnded = false

    /// Returns the values of the named field, joined by commas.
    package subscript(name: String) -> String? { fields.value(name) }

    /// The metadata, by the names that follow `x-amz-meta-`, in lower case.
    package var metadata: [String: String] { fields.bucketMetadata }

    /// The number that a fleet's node sends as `x-amz-meta-epoch`.
    package var epoch: Int64? { metadata["epoch"].flatMap { Int64($0) } }
}

extension [HTTPField] {
    /// The metadata of an object in the fields of a request.
    var bucketMetadata: [String: String] {
        let prefix = "x-amz-meta-"
        return reduce(into: [:]) { result, field in
            let name = field.name.lowercased()
            if name.hasPrefix(prefix) { result[String(name.dropFirst(prefix.count))] = field.value }
        }
    }
}
