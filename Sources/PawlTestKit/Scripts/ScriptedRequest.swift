public import FoundationEssentials
public import PawlCore

/// A request that a ``ScriptedServer`` has received.
public struct ScriptedRequest: Sendable {
    /// The URL, without a user and a fragment.
    public let url: URL
    /// The HTTP method.
    public let method: String
    /// The header fields: those of the program, and those that the session adds, such as `Range`
    /// and `User-Agent`.
    ///
    /// The content codings in `Accept-Encoding` depend on the system's libcurl; here they are
    /// always `zstd, br, gzip`.
    public let fields: [HTTPField]
    /// The body; it is empty for a request without one.
    public let body: [UInt8]
    /// The number of the request among those for the same URL, from 1.
    public let number: Int

    /// The value of a field, ignoring the case of its name; `nil` if there is no such field.
    ///
    /// The values of several fields are joined by commas.
    public subscript(name: String) -> String? { fields.value(name) }

    /// The method and the URL, for messages.
    var text: String { "\(method.sanitized) \(url.redacted)" }

    init(_ request: TransferRequest, number: Int) {
        (url, method, body) = (request.url, request.method, request.body)
        self.number = number
        var fields = request.fields
        func add(_ name: String, _ value: String?) {
            guard let value, !fields.contains(where: { $0.hasName(name) }) else { return }
            fields.append(HTTPField(name: name, value: value))
        }
        add("User-Agent", request.connection.userAgent)
        add("Accept", "*/*")
        add("Accept-Encoding", request.codings.requested)
        add("Range", request.range.map { "bytes=\($0)" })
        add("Referer", request.referer)
        add("Authorization", request.credentials?.basic)
        self.fields = fields
    }
}

extension AcceptedCodings {
    fileprivate var requested: String? {
        switch self {
        case .none: "identity"
        // What Debian's libcurl decodes.
        case .decoded: "zstd, br, gzip"
        case .own: nil
        }
    }
}

extension Credentials {
    /// The value of `Authorization` (RFC 7617).
    fileprivate var basic: String {
        "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
    }
}
