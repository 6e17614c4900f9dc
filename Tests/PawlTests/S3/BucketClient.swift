import Glibc
import Pawl
import PawlCore
import PawlTesting

/// Sends single requests to a service that speaks S3's protocol, signed as Pawl signs its own.
struct BucketClient: Sendable {
    typealias Query = [(name: String, value: String)]
    /// A part in a list: its number, its entity tag, and an element with its checksum or nothing.
    typealias CompletedPart = (number: Int, tag: String?, checksum: String)

    var port: UInt16
    var credentials: S3Credentials
    var region = "us-east-1"
    var bucket = "photos"
    /// The value of the field `Host`; with `nil`, the bucket is named in the path.
    var host: String?
    /// The time by which this client's clock is ahead, in seconds.
    var clockOffset: Int64 = 0
    /// The service, which stops after its last client is gone.
    var service: (any Sendable)?

    /// A request as it is signed; a test may change it before it is sent.
    struct Draft {
        var method: String
        var target: String
        var fields: [HTTPField]
        var body: [UInt8]?
    }

    /// Sends one request on its own connection, which is closed after the answer.
    ///
    /// - Parameters:
    ///   - payload: The value of `x-amz-content-sha256`.
    ///   - change: Changes the request after it was signed.
    @discardableResult
    func ask(
        _ method: String,
        _ key: String = "",
        _ query: Query = [],
        fields: [String: String] = [:],
        body: [UInt8]? = nil,
        payload: String = RequestSignature.Content.unsigned,
        change: (inout Draft) -> Void = { _ in }
    ) throws -> RawAnswer {
        let client = try begin(
            method,
            key,
            query,
            fields: fields,
            body: body,
            payload: payload,
            change: change
        )
        let (bytes, end) = client.receiveAll()
        return RawAnswer(bytes, end)
    }

    /// Sends one request, and returns the connection on which its answer arrives.
    func begin(
        _ method: String,
        _ key: String = "",
        _ query: Query = [],
        fields: [String: String] = [:],
        body: [UInt8]? = nil,
        payload: String = RequestSignature.Content.unsigned,
        change: (inout Draft) -> Void = { _ in }
    ) throws -> RawClient {
        let folder = host == nil ? "/\(bucket)/" : "/"
        let path = folder + key.utf8.percentEncoded(except: "/")
        let sentHost = host ?? "127.0.0.1:\(port)"
        var content = RequestSignature.Content(
            method: method,
            host: sentHost,
            path: path,
            query: query
        )
        content.fields = fields.sorted { $0.key < $1.key }.map {
            HTTPField(name: $0.key, value: $0.value)
        }
        content.payload = payload
        let now = Int64(time(nil)) + clockOffset
        guard
            let added = RequestSignature(credentials, region: region).fields(for: content, at: now)
        else { throw RawClient.Failed() }
        let text = RequestSignature.text(of: query)
        var draft = Draft(
            method: method,
            target: text.isEmpty ? path : "\(path)?\(text)",
            fields: [HTTPField(name: "Host", value: sentHost)] + content.fields + added,
            body: body
        )
        change(&draft)
        draft.fields.append(HTTPField(name: "Connection", value: "close"))
        let isFramed = ["Content-Length", "Transfer-Encoding"]
            .contains { draft.fields.value($0) != nil }
        if !isFramed, draft.body != nil || ["POST", "PUT"].contains(draft.method) {
            let count = draft.body?.count ?? 0
            draft.fields.append(HTTPField(name: "Content-Length", value: "\(count)"))
        }
        let client = try RawClient(port: port)
        let lines = draft.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        client.send("\(draft.method) \(draft.target) HTTP/1.1\r\n\(lines)\r\n")
        client.send(draft.body ?? [])
        return client
    }

    // MARK: - Operations

    func put(
        _ key: String,
        _ text: String,
        _ fields: [String: String] = [:]
    ) throws -> RawAnswer {
        try ask("PUT", key, fields: fields, body: Array(text.utf8))
    }

    func get(_ key: String, _ fields: [String: String] = [:]) throws -> RawAnswer {
        try ask("GET", key, fields: fields)
    }

    /// Creates an upload in parts, and returns its identifier.
    func createUpload(_ key: String, _ fields: [String: String] = [:]) throws -> String {
        let answer = try ask("POST", key, [("uploads", "")], fields: fields)
        return answer.element("UploadId") ?? ""
    }

    func putPart(
        _ number: Int,
        of key: String,
        _ upload: String,
        _ bytes: [UInt8],
        _ fields: [String: String] = [:]
    ) throws -> RawAnswer {
        try ask("PUT", key, part(number, upload), fields: fields, body: bytes)
    }

    func part(_ number: Int, _ upload: String) -> Query {
        [("partNumber", "\(number)"), ("uploadId", upload)]
    }

    /// Completes an upload with these parts.
    func complete(
        _ key: String,
        _ upload: String,
        _ parts: [CompletedPart],
        _ fields: [String: String] = [:]
    ) throws -> RawAnswer {
        let list = parts.map { number, tag, checksum in
            "<Part><PartNumber>\(number)</PartNumber><ETag>\(tag ?? "")</ETag>\(checksum)</Part>"
        }
        return try complete(
            key,
            upload,
            document: "<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>",
            fields
        )
    }

    func complete(
        _ key: String,
        _ upload: String,
        document: String,
        _ fields: [String: String] = [:]
    ) throws -> RawAnswer {
        try ask("POST", key, [("uploadId", upload)], fields: fields, body: Array(document.utf8))
    }
}

extension RawAnswer {
    /// The text of the first element with a name.
    func element(_ name: String) -> String? { elements(name).first }

    /// The texts of all elements with a name, in order.
    func elements(_ name: String) -> [String] {
        text.split(separator: "<\(name)>").dropFirst().map { piece in
            let value = String(piece.prefix { $0 != "<" })
            return value.replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
        }
    }
}
