public import struct FoundationEssentials.URL

/// The settings of connections.
public struct ConnectionSettings: Hashable, Sendable {
    /// The `User-Agent` field.
    public var userAgent = "pawl/\(PawlVersion.current)"
    /// The page that links to the file, for the `Referer` field (RFC 9110 §10.1.3).
    ///
    /// `nil`, the default, sends no such field. Every server receives it, including those of
    /// redirects and mirrors, but never with a user, a password or a fragment, and never over plain
    /// HTTP if the page is an HTTPS one.
    public var referer: URL?
    /// The maximum time to establish a connection, including TLS.
    ///
    /// The default is 15 s.
    public var connectTimeout: Duration = .seconds(15)
    /// Whether certificates are left unchecked.
    ///
    /// The default is `false`. If it is `true`, anyone between client and server can read and
    /// change the bytes sent.
    public var allowsUntrustedCertificates = false
    /// A PEM file of certificate authorities to trust in place of the system's.
    public var authoritiesFile: String?
    /// The SHA-256 digests of public keys, of which the server's certificate must have one, in
    /// addition to being valid (RFC 7469 §2.4).
    ///
    /// Each is the digest of the key's SubjectPublicKeyInfo in Base64, 44 characters. curl's prefix
    /// `sha256//` may precede it. There are none by default, which means that any
    /// key is accepted. They apply to all servers, also those of redirects and mirrors. If no key
    /// matches, the error has the code `.tlsFailed`; a text that is not such a digest is an error with
    /// the code `.usage` when a request begins.
    public var pinnedPublicKeys: [String] = []
    /// The certificate that identifies the client to the origin of the URL, if that asks for one.
    ///
    /// There is none by default. Other origins, those of redirects and mirrors, never receive it.
    public var clientIdentity = ClientIdentity()
    /// The absolute path of the file with the keys of known SSH servers, for SFTP (sshd(8),
    /// *SSH_KNOWN_HOSTS FILE FORMAT*).
    ///
    /// With `nil`, the default, it is `~/.ssh/known_hosts`. It is created when a key is added.
    public var knownHostsFile: String?
    /// The fingerprint of a host key to accept if the SSH server is not in the file of known hosts;
    /// the key is then added to the file.
    ///
    /// It is `SHA256:` and Base64 without padding, as `ssh-keygen -l` prints it. With `nil`, the
    /// default, only known keys are accepted. A key that differs from the file's is refused in any
    /// case, with the code `.tlsFailed`.
    public var hostKey: String?
    /// How to sign in.
    ///
    /// With `nil`, the default, a name and password are sent when the server asks for them, by Digest
    /// or Basic, whichever it offers. Only the origin of the URL receives a proof of a Kerberos ticket.
    public var authentication: AuthenticationScheme?
    /// A file in the format of `.netrc` with names and passwords for hosts.
    ///
    /// With `nil`, the default, there is none. Credentials in the settings or in a URL come first.
    /// Each host, including that of a redirect or a mirror, receives only its own password.
    public var netrcFile: String?
    /// A file with cookies in Netscape's format, which are used in place of the session's.
    ///
    /// With `nil`, the default, there is none. A session reads the file when it is first named, and
    /// writes to it the cookies that servers set, as with the cookie file of its configuration.
    public var cookieFile: String?
    /// A browser's profile whose cookies are sent; they are read from its files and never changed.
    ///
    /// With `nil`, the default, there is none. A session reads the cookies at the first request,
    /// and again after five minutes; cookies that servers set in between are then lost. Chromium
    /// may ask the keyring for a key, for up to 10 s. If the cookies cannot be read, the session
    /// logs a warning and sends none. They are used in place of the session's cookies, and cannot
    /// be combined with ``cookieFile``.
    public var browserProfile: BrowserProfile?
    /// A file in curl's format with the hosts that demand HTTPS (RFC 6797, *HSTS*).
    ///
    /// With `nil`, the default, there is none. A request over HTTP to such a host is sent over
    /// HTTPS. A session reads the file when it is first named, and adds the hosts whose responses
    /// over HTTPS demand it. curl and other processes may use the same file.
    public var secureHostsFile: String?
    /// A file in curl's format with the alternative services of servers (RFC 7838, *Alt-Svc*).
    ///
    /// With `nil`, the default, there is none. A request over HTTPS connects to an alternative that
    /// the server has named before, if the alternative supports the request's version of HTTP and
    /// has a certificate for the URL's host; if that fails, it connects to the URL's host. A
    /// session reads the file when it is first named, and adds the alternatives that responses over
    /// HTTPS name. curl and other processes may use the same file. `s3:` URLs do not use it.
    public var alternativeServicesFile: String?
    /// The version of HTTP to use.
    ///
    /// With `nil`, the default, small files share HTTP/2 connections, and each larger file has its
    /// own HTTP/1.1 connections.
    public var httpVersion: HTTPVersion?
    /// The version of IP to use; `nil`, the default, means either.
    public var ipVersion: IPVersion?
    /// The network interface, or one of this machine's addresses, from which to connect.
    ///
    /// With `nil`, the default, the system chooses.
    public var interface: String?
    /// Through which proxy to connect.
    ///
    /// The default is the proxy that the environment names.
    public var proxy = ProxyPolicy.environment
    /// How to sign in to an HTTP proxy.
    ///
    /// With `nil`, the default, the name and password in the proxy's URL are sent when the proxy asks
    /// for them, by Digest, NTLM or Basic, whichever it offers.
    public var proxyAuthentication: AuthenticationScheme?
    /// The addresses to use for hosts instead of resolving their names.
    ///
    /// There are none by default. The first entry that applies to a host is used.
    public var fixedAddresses: [FixedAddress] = []
    /// The URL of a server that resolves names by DNS over HTTPS (RFC 8484).
    ///
    /// With `nil`, the default, the system resolves names. The name of this server is resolved by
    /// the system.
    public var nameServer: URL?
    /// Whether the first bytes are sent while the connection is still being established (TCP Fast
    /// Open, RFC 7413).
    ///
    /// The default is `false`. If the system does not support it, the connection is established as
    /// usual.
    public var usesTCPFastOpen = false
    /// The settings for sources whose URLs begin with `s3:`.
    public var s3 = S3Settings()
    /// A Unix socket to connect to in place of the host, bypassing any proxy.
    package var socketPath: String?
    /// Whether the request may use private addresses: those of this machine and its network.
    ///
    /// This is checked when a connection is made, and again before each request. It applies to a
    /// proxy's address, too.
    package var allowsPrivateAddresses = true
    /// Whether a proxy may have a private address if other hosts may not.
    ///
    /// Through a proxy, the host of the URL is then checked as it is written, because only the
    /// proxy learns its address.
    package var allowsPrivateProxies = false
    /// Whether the request is one of the user who runs this process.
    ///
    /// Only such a request may use what belongs to that user: keys for SSH and AWS, a Kerberos
    /// ticket, and files.
    package var actsForProcessOwner = true

    /// Creates the default settings.
    public init() {}
}

extension ConnectionSettings {
    /// The settings that decide how a connection is made and to whom it leads.
    ///
    /// Two requests may use the same connection only if these are equal.
    package var path: ConnectionSettings {
        var path = self
        path.userAgent = ""
        path.referer = nil
        path.connectTimeout = .zero
        path.httpVersion = nil
        // Negotiate signs in a connection, not a request.
        if path.authentication != .negotiate { path.authentication = nil }
        path.netrcFile = nil
        path.cookieFile = nil
        path.browserProfile = nil
        path.secureHostsFile = nil
        path.alternativeServicesFile = nil
        return path
    }

    /// Throws `.usage` if a pinned key is not the digest of a key.
    package func checkPinnedKeys() throws(DownloadError) {
        for key in pinnedPublicKeys {
            do throws(ValueError) {
                _ = try PublicKeyText.parse(key)
            } catch {
                throw .usage("a pinned key is not valid: \(error.reason)", advice: error.advice)
            }
        }
    }

    /// Removes what identifies this user to the origin of the URL.
    package mutating func forgetIdentity() {
        clientIdentity = ClientIdentity()
        if authentication == .negotiate { authentication = nil }
    }

    /// Whether a server or a proxy is shown that this user has a Kerberos ticket.
    package var usesTicket: Bool {
        authentication == .negotiate || proxyAuthentication == .negotiate
    }

    /// The paths of the files that the settings name, and the names of these settings in the table.
    package static let files:
        [(name: String, path: any WritableKeyPath<ConnectionSettings, String?> & Sendable)] = [
            ("cacert", \.authoritiesFile), ("cert", \.clientIdentity.certificateFile),
            ("key", \.clientIdentity.keyFile), ("netrc", \.netrcFile),
            ("cookies", \.cookieFile), ("hsts", \.secureHostsFile),
            ("alt-svc", \.alternativeServicesFile), ("known-hosts", \.knownHostsFile),
        ]
}

/// A scheme by which a client signs in to a server or a proxy.
public enum AuthenticationScheme: String, Hashable, Sendable, CaseIterable {
    /// Basic (RFC 7617), with the first request, before the server asks for it.
    case basic
    /// Digest (RFC 7616), which does not reveal the password.
    case digest
    /// Negotiate (RFC 4559), with this user's Kerberos ticket and without a password.
    ///
    /// It is an error if the system's libcurl was built without it.
    case negotiate
}

/// A version of HTTP.
public enum HTTPVersion: String, Hashable, Sendable, CaseIterable {
    /// HTTP/1.1: each request has a connection of its own.
    case http1 = "1.1"
    /// HTTP/2 with each HTTPS server that supports it: requests share a connection.
    ///
    /// If the speed is limited, requests still have HTTP/1.1 connections of their own, because
    /// slowing one of them down would slow down all that share its connection.
    case http2 = "2"
    /// HTTP/3, or an earlier version with servers that do not support it.
    ///
    /// It is an error if the system's libcurl was built without HTTP/3.
    case http3 = "3"
}

/// A version of the Internet Protocol.
public enum IPVersion: String, Hashable, Sendable, CaseIterable {
    case v4 = "4"
    case v6 = "6"
}
