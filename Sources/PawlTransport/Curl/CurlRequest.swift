internal import CCurl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// Sets the options of a request on a new or reset handle.
struct CurlRequest {
    /// The time to wait for a reply of an FTP server.
    private static let answerSeconds = 20

    private let request: TransferRequest
    private let handle: CurlHandle

    init(_ request: TransferRequest, on handle: CurlHandle) {
        (self.request, self.handle) = (request, handle)
    }

    /// Sets all options.
    ///
    /// `bufferBytes` is the maximum that libcurl reads at once; `nil` for a connection that other
    /// transfers use, too.
    func setOptions(bufferBytes: Int?) throws(TransferFailure) {
        try handle.setErrorText()
        try setTarget()
        try setVersion(multiplexes: bufferBytes == nil)
        // HTTP/2 frames are no larger than the default, 16 KiB.
        if let bufferBytes {
            try handle.set(CURLOPT_BUFFERSIZE, to: min(max(1_024, bufferBytes), 512 * 1_024))
        }
        try setMethod()
        try request.scheme.isHTTP ? setFields() : setFileOptions()
        try handle.setCookies(request)
        if let referer = request.referer { try handle.set(CURLOPT_REFERER, to: referer) }
        try setConnection()
        try setRoute()
        try setTrust()
        try setIdentity()
    }

    private func setTarget() throws(TransferFailure) {
        try setAddress()
        try handle.set(CURLOPT_FOLLOWLOCATION, to: false)
        try handle.set(CURLOPT_HTTP09_ALLOWED, to: false)
        try handle.set(CURLOPT_HTTP_CONTENT_DECODING, to: request.codings == .decoded)
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: true)
        if let range = request.range {
            guard range.start >= 0, !range.isEmpty else {
                throw TransferFailure(.local, "cannot request an empty range")
            }
            // libcurl reports a size only for a range that extends to the end of the file.
            let isOpen = request.scheme == .sftp
            try handle.set(CURLOPT_RANGE, to: isOpen ? "\(range.start)-" : range.description)
        }
    }

    private func setAddress() throws(TransferFailure) {
        var address = request.url.absoluteString
        // libcurl knows FTP with TLS on request only by an option.
        if request.scheme == .ftpes { address = "ftp" + address.dropFirst("ftpes".count) }
        // `;type=A` would change the bytes of the file, and `;type=D` list a folder.
        if !request.scheme.isHTTP { address = address.replacingASCII(";", with: "%3B") }
        try handle.set(CURLOPT_URL, to: address)
        let allowed =
            switch request.scheme {
            case .http, .https: "http,https"
            case .ftp, .ftpes: "ftp"
            case .ftps: "ftps"
            case .sftp: "sftp"
            case .file, .data:
                throw TransferFailure(.unsupportedURL, "libcurl serves no local files here")
            // Requests for it are those of another transport, which sends them over HTTP.
            case .s3: throw TransferFailure(.unsupportedURL, "")
            }
        try handle.set(CURLOPT_PROTOCOLS_STR, to: allowed)
        try handle.set(CURLOPT_PATH_AS_IS, to: request.sendsExactPath)
    }

    /// Sets what FTP and SFTP need.
    private func setFileOptions() throws(TransferFailure) {
        guard request.method == "GET", !request.hasBody else {
            throw TransferFailure(.local, "\(request.method) is not a request to such a server")
        }
        try handle.set(CURLOPT_FILETIME, to: true)
        // Without a tunnel, an HTTP proxy would fetch the file itself.
        try handle.set(CURLOPT_HTTPPROXYTUNNEL, to: true)
        // libcurl waits for these answers in the loop's thread.
        try handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, to: Self.answerSeconds)
        guard request.scheme != .sftp else { return try SSHOptions.set(request, on: handle) }
        if request.scheme == .ftpes || request.scheme == .ftps {
            try handle.set(CURLOPT_USE_SSL, to: Int(CURLUSESSL_ALL.rawValue))
        }
        try setCredentials()
    }

    /// Sets the HTTP version.
    ///
    /// HTTP/2 shares connections and waits for one that is being made; with HTTP/1.1 each transfer
    /// has its own.
    private func setVersion(multiplexes: Bool) throws(TransferFailure) {
        // Negotiate signs in a connection, which HTTP/2 would share.
        let wantsTwo =
            multiplexes
            || request.connection.httpVersion == .http2
                && request.connection.authentication != .negotiate
        var version = wantsTwo ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        if request.connection.httpVersion == .http3 {
            guard pawl_curl_features() & CURL_VERSION_HTTP3 != 0 else {
                throw TransferFailure(.notBuiltIn, "HTTP/3")
            }
            version = CURL_HTTP_VERSION_3
        }
        try handle.set(CURLOPT_HTTP_VERSION, to: Int(version))
        try handle.set(CURLOPT_PIPEWAIT, to: multiplexes)
    }

    private func setBody(of method: String) throws(TransferFailure) {
        guard request.bodySource != nil else {
            try handle.setBody(request.body)
            if method != "POST" { try handle.set(CURLOPT_CUSTOMREQUEST, to: method) }
            return
        }
        try handle.announceBody(length: request.sentLength)
        if method != "PUT" { try handle.set(CURLOPT_CUSTOMREQUEST, to: method) }
        guard let timeout = request.continueTimeout else { return }
        let milliseconds = timeout.nanoseconds / 1_000_000
        try handle.set(CURLOPT_EXPECT_100_TIMEOUT_MS, to: Int(min(max(1, milliseconds), 1 << 30)))
    }

    private func setMethod() throws(TransferFailure) {
        let method = request.method
        guard RequestMethod.isUsable(method) else {
            throw TransferFailure(.local, "cannot send the method '\(method.sanitized)'")
        }
        if request.hasBody {
            guard method != "HEAD" else {
                throw TransferFailure(.local, "cannot send HEAD with a body")
            }
            try setBody(of: method)
        } else if method == "HEAD" {
            try handle.set(CURLOPT_NOBODY, to: true)
        } else if method != "GET" {
            try handle.set(CURLOPT_CUSTOMREQUEST, to: method)
        }
        // If a reused connection turns out to be dead, libcurl sends the request again by itself,
        // although the server may have carried it out, and although the body may not be repeatable.
        // An HTTP/2 request that may not share a connection needs a new one, too.
        let isAlone = !request.multiplexes && request.connection.httpVersion == .http2
        try handle.set(
            CURLOPT_FRESH_CONNECT,
            to: isAlone || !RequestMethod.isIdempotent(method)
                || request.bodySource?.isRepeatable == false
        )
    }

    /// The header lines that libcurl would add to a body: `Content-Type` and `Expect`.
    ///
    /// The first is suppressed, and the second too, unless the server's consent is awaited.
    private var unwantedLines: [String] {
        guard request.hasBody else { return [] }
        // A field of the request itself would be sent even after the server has refused it (417).
        let awaitsContinue = request.bodySource != nil && request.continueTimeout != nil
        return (awaitsContinue ? ["Content-Type"] : ["Content-Type", "Expect"]).filter { name in
            !request.fields.contains { $0.hasName(name) }
        }.map { "\($0):" }
    }

    /// The line that announces the fields after the body (RFC 9110 §6.6.2).
    private var trailerLines: [String] {
        guard request.sendsTrailers, let names = request.bodySource?.trailerNames else { return [] }
        return ["Trailer: " + names.filter(\.isToken).joined(separator: ", ")]
    }

    private func setFields() throws(TransferFailure) {
        var lines = unwantedLines + trailerLines
        switch request.codings {
        case .decoded where !ContentCodings.all.isEmpty:
            try handle.set(CURLOPT_ACCEPT_ENCODING, to: ContentCodings.accepted)
        case .none, .decoded: lines.insert("Accept-Encoding: identity", at: 0)
        case .own: break
        }
        var cookies: [String] = []
        for field in request.fields {
            guard field.name.isToken, !field.value.breaksLine else {
                throw TransferFailure(
                    .local,
                    "cannot send the field '\(field.name.sanitized)': invalid characters"
                )
            }
            if field.name.lowercased() == "cookie" {
                cookies.append(field.value)
            } else if field.framesBody {
                // The transport sets this field itself, from the body.
                continue
            } else {
                // To libcurl `Name:` means: send no such field. An empty one is `Name;`.
                lines.append(
                    field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
                )
            }
        }
        if let alternative = request.alternative?.endpoint,
            !request.fields.contains(where: { $0.hasName("Alt-Used") })
        {
            lines.append("Alt-Used: \(alternative.text)")
        }
        try handle.setFieldLines(lines)
        // These join the cookies that servers have set, because only one such field is allowed (RFC
        // 6265 §5.4).
        if !cookies.isEmpty { try handle.set(CURLOPT_COOKIE, to: cookies.joined(separator: "; ")) }
        try setCredentials()
    }

    private func setCredentials() throws(TransferFailure) {
        let usesTicket = request.scheme.isHTTP && request.connection.authentication == .negotiate
        let signsIn = request.fields.contains { $0.hasName("Authorization") }
        if let credentials = request.credentials {
            guard !credentials.name.breaksLine, !credentials.password.breaksLine else {
                throw TransferFailure(.local, "cannot send the credentials: invalid characters")
            }
            try handle.set(CURLOPT_USERNAME, to: credentials.name)
            try handle.set(CURLOPT_PASSWORD, to: credentials.password)
        } else if usesTicket, !signsIn {
            // Without a name, libcurl does not answer the server; the ticket has its own.
            try handle.set(CURLOPT_USERNAME, to: "")
        } else if let file = request.connection.netrcFile, !signsIn {
            try handle.set(CURLOPT_NETRC, to: Int(CURL_NETRC_OPTIONAL.rawValue))
            try handle.set(CURLOPT_NETRC_FILE, to: file)
        } else {
            return
        }
        let usual =
            handle.usesBasicOnly(request)
            ? pawl_curl_auth_basic : pawl_curl_auth_basic | pawl_curl_auth_digest
        let schemes = try request.connection.authentication.map(Self.scheme) ?? usual
        try handle.set(CURLOPT_HTTPAUTH, to: Int(schemes))
    }

    /// Returns libcurl's name of a scheme.
    private static func scheme(
        _ scheme: AuthenticationScheme
    ) throws(TransferFailure) -> Int {
        switch scheme {
        case .basic: return pawl_curl_auth_basic
        case .digest: return pawl_curl_auth_digest
        case .negotiate:
            guard pawl_curl_features() & CURL_VERSION_SPNEGO != 0 else {
                throw TransferFailure(.notBuiltIn, "Negotiate")
            }
            return pawl_curl_auth_negotiate
        }
    }

    private func setConnection() throws(TransferFailure) {
        let settings = request.connection
        guard !settings.userAgent.breaksLine else {
            throw TransferFailure(.local, "cannot send the user agent: invalid characters")
        }
        try handle.set(CURLOPT_USERAGENT, to: settings.userAgent)
        if let path = settings.socketPath {
            try handle.set(CURLOPT_UNIX_SOCKET_PATH, to: path)
        }
        let milliseconds = settings.connectTimeout.nanoseconds / 1_000_000
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, to: Int(min(max(1, milliseconds), 1 << 30)))
        if let longest = request.maximumDuration {
            let milliseconds = longest.nanoseconds / 1_000_000
            try handle.set(CURLOPT_TIMEOUT_MS, to: Int(min(max(1, milliseconds), 1 << 30)))
        }
        try handle.set(CURLOPT_TCP_KEEPALIVE, to: true)
        try handle.set(CURLOPT_NOPROGRESS, to: true)
        try handle.set(CURLOPT_NOSIGNAL, to: true)
        // Otherwise, ending a transfer whose name is being resolved waits for the resolver, and so
        // does every other transfer of the loop.
        try handle.set(CURLOPT_QUICK_EXIT, to: true)
    }

    /// Sets which way the connection takes.
    private func setRoute() throws(TransferFailure) {
        let settings = request.connection
        try setProxy()
        switch settings.ipVersion {
        case .v4: try handle.set(CURLOPT_IPRESOLVE, to: Int(CURL_IPRESOLVE_V4))
        case .v6: try handle.set(CURLOPT_IPRESOLVE, to: Int(CURL_IPRESOLVE_V6))
        case nil: break
        }
        if let interface = settings.interface {
            let kind = IPAddress(interface) == nil ? "if!" : "host!"
            try handle.set(CURLOPT_INTERFACE, to: kind + interface)
        }
        if let server = settings.nameServer {
            try handle.set(CURLOPT_DOH_URL, to: server.absoluteString)
        }
        // Without the system's support, libcurl rejects the option.
        if settings.usesTCPFastOpen { try? handle.set(CURLOPT_TCP_FASTOPEN, to: true) }
        try handle.setTargets(FixedRoute(request))
    }

    private func setProxy() throws(TransferFailure) {
        guard request.connection.socketPath == nil else {
            // An empty proxy means none, whatever the environment contains.
            return try handle.set(CURLOPT_PROXY, to: "")
        }
        try setProxyLogin()
        switch request.connection.proxy {
        case .environment where request.connection.allowsPrivateProxies:
            try setKnownProxy()
        case .environment:
            // Without CURLOPT_NOPROXY, `no_proxy` of the environment applies.
            switch EnvironmentProxy(for: request) {
            case .unset: break
            case .proxy(let text): try handle.set(CURLOPT_PROXY, to: text)
            case .invalid: try handle.set(CURLOPT_PROXY, to: EnvironmentProxy.refused)
            }
        case .none: try handle.set(CURLOPT_PROXY, to: "")
        case .proxy(let url):
            try handle.set(CURLOPT_PROXY, to: url.absoluteString)
            // Otherwise `no_proxy` of the environment would apply.
            try handle.set(CURLOPT_NOPROXY, to: "")
        }
    }

    /// Sets the proxy of the environment, or none: libcurl leaves open which of the two it uses.
    private func setKnownProxy() throws(TransferFailure) {
        try handle.set(CURLOPT_NOPROXY, to: "")
        switch EnvironmentProxy(for: request) {
        case .proxy(let text) where request.goesThroughProxy:
            try handle.set(CURLOPT_PROXY, to: text)
        case .invalid: try handle.set(CURLOPT_PROXY, to: EnvironmentProxy.refused)
        case .proxy, .unset: try handle.set(CURLOPT_PROXY, to: "")
        }
    }

    private func setProxyLogin() throws(TransferFailure) {
        let scheme = request.connection.proxyAuthentication
        // If no scheme is set, libcurl first sends a request without a login to learn which ones
        // the proxy offers. Negotiate is excluded then: libcurl prefers it to a password, even if
        // there is no ticket.
        let schemes = try scheme.map(Self.scheme) ?? pawl_curl_auth_password
        try handle.set(CURLOPT_PROXYAUTH, to: Int(schemes))
        // A name in the proxy's URL comes first.
        if scheme == .negotiate { try handle.set(CURLOPT_PROXYUSERPWD, to: ":") }
    }

    private func setTrust() throws(TransferFailure) {
        let settings = request.connection
        if settings.allowsUntrustedCertificates {
            for option in [
                CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST, CURLOPT_PROXY_SSL_VERIFYPEER,
                CURLOPT_PROXY_SSL_VERIFYHOST,
            ] {
                try handle.set(option, to: false)
            }
        }
        if !settings.pinnedPublicKeys.isEmpty {
            let keys = settings.pinnedPublicKeys.map {
                PublicKeyText.prefix + PublicKeyText.digest(of: $0)
            }
            try handle.set(CURLOPT_PINNEDPUBLICKEY, to: keys.joined(separator: ";"))
        }
        guard let file = settings.authoritiesFile else { return }
        try handle.set(CURLOPT_CAINFO, to: file)
        try handle.set(CURLOPT_PROXY_CAINFO, to: file)
        // Otherwise the system's certificate authorities would be trusted as well.
        try handle.set(CURLOPT_CAPATH, to: nil)
        try handle.set(CURLOPT_PROXY_CAPATH, to: nil)
    }

    private func setIdentity() throws(TransferFailure) {
        let identity = request.connection.clientIdentity
        guard let certificate = identity.certificateFile else { return }
        try handle.set(CURLOPT_SSLCERT, to: certificate)
        try handle.set(CURLOPT_SSLCERTTYPE, to: identity.isPKCS12 ? "P12" : "PEM")
        if let key = identity.keyFile { try handle.set(CURLOPT_SSLKEY, to: key) }
        // Without one, OpenSSL would ask for it on the terminal, in the thread of the loop.
        try handle.set(CURLOPT_KEYPASSWD, to: identity.keyPassword ?? "")
    }
}

extension HTTPField {
    fileprivate var framesBody: Bool { hasName("Content-Length") || hasName("Transfer-Encoding") }
}

extension String {
    /// Whether this string would end a header line or a C string.
    fileprivate var breaksLine: Bool {
        utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    }
}
