package import struct FoundationEssentials.URL

/// What to ask of a server.
package struct TransferRequest: Sendable {
    package var url: URL
    package var method = "GET"
    /// Sent with its length, and without asking first whether the server wants it.
    package var body: [UInt8] = []
    /// The bytes to ask for, nil for all; an `end` of `Int64.max` leaves the end open.
    package var range: ByteRange?
    /// Sent as they are, after the transport's own `Accept-Encoding: identity`.
    package var fields: [HTTPField] = []
    package var credentials: Credentials?
    package var connection = ConnectionSettings()
    /// The cookies to send, where those that come are put; nil sends and keeps none.
    package var cookies: CookieJar?
    /// Whether this exchange may share a connection with others to the same origin (HTTP/2).
    package var multiplexes = false
    /// The most bytes that the sink is shown at a time; a hint.
    package var bufferBytes = 512 * 1024

    package init(url: URL, range: ByteRange? = nil) {
        self.url = url
        self.range = range
    }
}

/// A name and password for HTTP's Basic and Digest schemes (RFC 7617, RFC 7616).
///
/// Printing it shows neither.
public struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible
{
    /// The user's name.
    public var name: String
    /// The password.
    public var password: String

    /// Makes credentials of a name and a password.
    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    /// Hides the values.
    public var description: String { "Credentials(hidden)" }
    /// Hides the values.
    public var debugDescription: String { description }
}

/// How to connect.
public struct ConnectionSettings: Hashable, Sendable {
    /// The `User-Agent` field.
    public var userAgent = "pawl/\(PawlVersion.current)"
    /// The longest that a connection may take until it stands, TLS included.
    ///
    /// 15 s by default.
    public var connectTimeout: Duration = .seconds(15)
    /// Whether certificates are left unchecked.
    ///
    /// Off by default; on, anyone on the way can read and change what is sent.
    public var allowsUntrustedCertificates = false
    /// A file of certificate authorities in PEM to trust in place of the system's.
    public var authoritiesFile: String?
    /// A Unix socket to connect to in place of the host, past any proxy.
    package var socketPath: String?
    /// Whether it may go to addresses that are not of the public Internet: this machine's, those of
    /// its network.
    ///
    /// It is looked at when a connection is made, and again before each request. A proxy is such an
    /// address, too.
    package var allowsPrivateAddresses = true

    /// Makes the defaults.
    public init() {}
}
