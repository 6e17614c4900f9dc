import PawlCore

/// The operations of S3 that a scripted bucket carries out.
package enum BucketOperation: String, Hashable, Sendable, CaseIterable {
    case createBucket
    case putObject, getObject, headObject, deleteObject
    case createMultipartUpload, uploadPart, uploadPartCopy, listParts
    case completeMultipartUpload, abortMultipartUpload, listMultipartUploads
    case listObjects
    /// A request that the bucket does not implement.
    case other
}

/// Where a request leads: a bucket, a key and a query.
struct BucketAddress: Sendable {
    /// The path, percent-decoded.
    let path: [UInt8]
    let bucket: String
    /// The key; empty for the bucket itself.
    let key: [UInt8]
    /// The names and values of the query, decoded, in the order of the request.
    let query: [(name: String, value: String)]

    /// Finds the bucket in the host's first label, if that is one of `buckets`, or in the path.
    init(_ request: RequestHead, buckets: Set<String>) {
        let parts = request.target.split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        path = parts[0].percentDecodedBytes
        query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { item in
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (sides[0].percentDecoded, sides.count > 1 ? sides[1].percentDecoded : "")
        }
        let rest = path.dropFirst()
        let labels = (request.value("host") ?? "").split(separator: ".")
        if labels.count > 1, let first = labels.first, buckets.contains(String(first)) {
            bucket = String(first)
            key = Array(rest)
        } else {
            bucket = String(decoding: rest.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
            key = Array(rest.dropFirst(bucket.utf8.count + 1))
        }
    }

    /// Returns the value of a parameter; `nil` if it is missing.
    subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns what a request with this address does.
    func operation(of request: RequestHead) -> BucketOperation {
        let isCopy = request.value("x-amz-copy-source") != nil
        let names = Set(query.map(\.name))
        if key.isEmpty {
            return switch request.method {
            case "PUT" where names.isEmpty: .createBucket
            case "GET" where self["list-type"] == "2": .listObjects
            case "GET" where names.contains("uploads"): .listMultipartUploads
            default: .other
            }
        }
        let hasUpload = names.contains("uploadId")
        let isPart = names.contains("partNumber")
        return switch request.method {
        case "PUT" where hasUpload && isPart: isCopy ? .uploadPartCopy : .uploadPart
        case "PUT" where !hasUpload && !isPart && !isCopy: .putObject
        case "POST" where names.contains("uploads"): .createMultipartUpload
        case "POST" where hasUpload: .completeMultipartUpload
        case "GET" where hasUpload: .listParts
        case "GET": .getObject
        case "HEAD": .headObject
        case "DELETE": hasUpload ? .abortMultipartUpload : .deleteObject
        default: .other
        }
    }
}
