package import struct FoundationEssentials.URL

/// A request to a server.
package struct TransferRequest: Sendable {
    package var url: URL
    package var method = "GET"
    /// The body.
    ///
    /// It is sent with its length, without first asking whether the server wants it.
    package var body: [UInt8] = []
    /// The body if it is read while it is sent; then `body` is ignored.
    package var bodySource: (any BodySource)?
    /// The time to wait for the server's `100 (Continue)` before a body of `bodySource` is sent
    /// (RFC 9110 §10.1.1); `nil` to send it at once.
    ///
    /// A server that refuses the request then does so before the body is sent. After that time, the
    /// body is sent in any case. HTTP/2 has another way to stop a body, so nothing is awaited there.
    package var continueTimeout: Duration?
    /// The range to request; `nil` for the whole file.
    ///
    /// An `end` of `Int64.max` leaves the end open.
    package var range: ByteRange?
    /// The fields, sent unchanged.
    package var fields: [HTTPField] = []
    /// The content codings that the server may use.
    package var codings = AcceptedCodings.none
    package var credentials: Credentials?
    package var connection = ConnectionSettings()
    /// The cookies to send, to which received ones are added; `nil` sends and keeps none.
    package var cookies: CookieJar?
    /// The hosts that demand HTTPS, to which those of responses are added; `nil` if none are kept.
    package var secureHosts: SecureHosts?
    /// The known alternative services, to which those of responses are added; `nil` if none are kept.
    package var alternatives: AlternativeServices?
    /// The alternative service to connect to in place of the URL's host and port; `nil` for none.
    package var alternative: AlternativeService?
    /// Whether this exchange may share a connection with others to the same origin (HTTP/2).
    package var multiplexes = false
    /// The maximum time of the whole exchange; `nil` for none.
    package var maximumDuration: Duration?
    /// The time after which an exchange that receives nothing is given up by whoever started it; `nil`
    /// if that is not known.
    package var stallTimeout: Duration?
    /// Whether `.` and `..` in the path are sent as they are, as names.
    package var sendsExactPath = false
    /// The versions of objects that one download has received; `nil` if they do not matter.
    package var versions: ObjectVersions?
    /// The tag of the file that the request continues; `nil` if it begins one.
    package var pinnedTag: EntityTag?
    /// A hint for the maximum number of bytes passed to the sink at once.
    package var bufferBytes = 512 * 1024

    package init(url: URL, range: ByteRange? = nil) {
        self.url = url
        self.range = range
    }
}

extension TransferRequest {
    /// The protocol of the server.
    package var scheme: URLScheme { URLScheme(of: url.scheme) ?? .http }

    /// The value of the `Referer` field; `nil` if none is sent.
    ///
    /// A page that was fetched over HTTPS is not named over plain HTTP (RFC 9110 §10.1.3).
    package var referer: String? {
        guard let page = connection.referer, page.scheme != "https" || url.scheme == "https" else {
            return nil
        }
        // A program may have set any URL.
        return AddressParts(page.absoluteString).requestText
    }
}

/// The content codings that a request accepts (RFC 9110 §12.5.3).
package enum AcceptedCodings: Hashable, Sendable {
    /// `identity`, sent before the request's own fields: each byte has its offset in a file.
    case none
    /// Those that the transport knows; it passes on the decoded bytes.
    case decoded
    /// Those in the request's own `Accept-Encoding`; bytes are passed on as they are sent.
    case own
}

/// A name and password for HTTP's Basic and Digest schemes (RFC 7617, RFC 7616).
///
/// Printing the value shows neither.
public struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible
{
    /// The user's name.
    public var name: String
    /// The password.
    public var password: String

    /// Creates credentials from a name and a password.
    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    /// A text that hides the values.
    public var description: String { "Credentials(hidden)" }
    /// A text that hides the values.
    public var debugDescription: String { description }
}
