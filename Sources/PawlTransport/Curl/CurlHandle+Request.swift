internal import CCurl
internal import PawlCore
internal import struct FoundationEssentials.URL

extension CurlHandle {
    /// Sets all options for a request on a new or reset handle.
    ///
    /// `bufferBytes` is the maximum that libcurl reads at once; `nil` for a connection that other
    /// transfers use, too.
    func configure(
        for request: TransferRequest,
        bufferBytes: Int?
    ) throws(TransferFailure) {
        try setErrorText()
        try setTarget(request)
        try setVersion(multiplexes: bufferBytes == nil)
        // HTTP/2 frames are no larger than the default, 16 KiB.
        if let bufferBytes {
            try set(CURLOPT_BUFFERSIZE, to: min(max(1_024, bufferBytes), 512 * 1_024))
        }
        try setMethod(request)
        try setFields(request)
        try setCookies(request)
        try setReferer(request)
        try setConnection(request.connection)
        try setTrust(request.connection)
    }

    /// Whether the buffer's size can be changed.
    ///
    /// libcurl (7.88) keeps the buffer of a transfer that ended before it had a connection (for
    /// example because its host has no address), or that left a connection in use by others. Then
    /// it rejects any size as a bad argument.
    var takesBufferSize: Bool {
        pawl_curl_set_long(raw, CURLOPT_BUFFERSIZE, 16 * 1_024) == CURLE_OK
    }

    private func setTarget(_ request: TransferRequest) throws(TransferFailure) {
        try set(CURLOPT_URL, to: request.url.absoluteString)
        try set(CURLOPT_PROTOCOLS_STR, to: "http,https")
        try set(CURLOPT_FOLLOWLOCATION, to: false)
        try set(CURLOPT_HTTP09_ALLOWED, to: false)
        try set(CURLOPT_HTTP_CONTENT_DECODING, to: false)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: true)
        if let range = request.range {
            guard range.start >= 0, !range.isEmpty else {
                throw TransferFailure(.local, "cannot request an empty range")
            }
            try set(CURLOPT_RANGE, to: range.description)
        }
    }

    /// Sets the HTTP version.
    ///
    /// HTTP/2 shares connections and waits for one that is being made; with HTTP/1.1 each transfer
    /// has its own.
    private func setVersion(multiplexes: Bool) throws(TransferFailure) {
        let version = multiplexes ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        try set(CURLOPT_HTTP_VERSION, to: Int(version))
        try set(CURLOPT_PIPEWAIT, to: multiplexes)
    }

    private func setMethod(_ request: TransferRequest) throws(TransferFailure) {
        let method = request.method
        guard RequestMethod.isUsable(method) else {
            throw TransferFailure(.local, "cannot send the method '\(method.sanitized)'")
        }
        if request.hasBody {
            guard method != "HEAD" else {
                throw TransferFailure(.local, "cannot send HEAD with a body")
            }
            try setBody(request.body)
            if method != "POST" { try set(CURLOPT_CUSTOMREQUEST, to: method) }
        } else if method == "HEAD" {
            try set(CURLOPT_NOBODY, to: true)
        } else if method != "GET" {
            try set(CURLOPT_CUSTOMREQUEST, to: method)
        }
        // If a reused connection turns out to be dead, libcurl sends the request again by itself,
        // although the server may have carried it out.
        try set(CURLOPT_FRESH_CONNECT, to: !RequestMethod.isIdempotent(method))
    }

    /// Makes libcurl open a new connection, even if others are idle.
    func useNewConnection() throws(TransferFailure) { try set(CURLOPT_FRESH_CONNECT, to: true) }

    /// The header lines that libcurl would add to a body that it takes for a form: `Content-Type`
    /// and `Expect`.
    ///
    /// Both are suppressed.
    private func unwantedLines(_ request: TransferRequest) -> [String] {
        guard request.hasBody else { return [] }
        return ["Content-Type", "Expect"].filter { name in
            !request.fields.contains { $0.hasName(name) }
        }.map { "\($0):" }
    }

    private func setFields(_ request: TransferRequest) throws(TransferFailure) {
        var lines = ["Accept-Encoding: identity"] + unwantedLines(request)
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
        try setFieldLines(lines)
        // These join the cookies that servers have set, because only one such field is allowed (RFC
        // 6265 §5.4).
        if !cookies.isEmpty { try set(CURLOPT_COOKIE, to: cookies.joined(separator: "; ")) }
        try setCredentials(request)
    }

    private func setCredentials(_ request: TransferRequest) throws(TransferFailure) {
        guard let credentials = request.credentials else { return }
        guard !credentials.name.breaksLine, !credentials.password.breaksLine else {
            throw TransferFailure(.local, "cannot send the credentials: invalid characters")
        }
        try set(CURLOPT_USERNAME, to: credentials.name)
        try set(CURLOPT_PASSWORD, to: credentials.password)
        let isBasic = basicOrigins.contains(request.signInScope)
        let schemes = isBasic ? pawl_curl_auth_basic : pawl_curl_auth_basic | pawl_curl_auth_digest
        try set(CURLOPT_HTTPAUTH, to: Int(schemes))
    }

    /// Remembers from a response head which authentication scheme the origin wants.
    func noteScheme(of request: TransferRequest, isSignedIn: Bool) {
        guard request.credentials != nil else { return }
        guard isSignedIn else { return basicOrigins.remove(request.signInScope) }
        // Only an exchange in which the server asked for credentials offers any.
        let offered = number(CURLINFO_HTTPAUTH_AVAIL)
        guard offered & pawl_curl_auth_basic != 0, offered & pawl_curl_auth_digest == 0 else {
            return
        }
        basicOrigins.insert(request.signInScope)
    }

    /// A page that was fetched over HTTPS is not named over plain HTTP (RFC 9110 §10.1.3).
    private func setReferer(_ request: TransferRequest) throws(TransferFailure) {
        guard let page = request.connection.referer,
            page.scheme != "https" || request.url.scheme == "https"
        else { return }
        // A program may have set any URL.
        try set(CURLOPT_REFERER, to: AddressParts(page.absoluteString).requestText)
    }

    private func setConnection(_ settings: ConnectionSettings) throws(TransferFailure) {
        guard !settings.userAgent.breaksLine else {
            throw TransferFailure(.local, "cannot send the user agent: invalid characters")
        }
        try set(CURLOPT_USERAGENT, to: settings.userAgent)
        if let path = settings.socketPath {
            try set(CURLOPT_UNIX_SOCKET_PATH, to: path)
            // An empty proxy means none, whatever the environment sets.
            try set(CURLOPT_PROXY, to: "")
        }
        let milliseconds = settings.connectTimeout.nanoseconds / 1_000_000
        try set(CURLOPT_CONNECTTIMEOUT_MS, to: Int(min(max(1, milliseconds), 1 << 30)))
        try set(CURLOPT_TCP_KEEPALIVE, to: true)
        try set(CURLOPT_NOPROGRESS, to: true)
        try set(CURLOPT_NOSIGNAL, to: true)
        // Otherwise, ending a transfer whose name is being resolved waits for the resolver, and so
        // does every other transfer of the loop.
        try set(CURLOPT_QUICK_EXIT, to: true)
    }

    private func setTrust(_ settings: ConnectionSettings) throws(TransferFailure) {
        if settings.allowsUntrustedCertificates {
            try set(CURLOPT_SSL_VERIFYPEER, to: false)
            try set(CURLOPT_SSL_VERIFYHOST, to: false)
        }
        guard let file = settings.authoritiesFile else { return }
        try set(CURLOPT_CAINFO, to: file)
        // Otherwise the system's certificate authorities would be trusted as well.
        try set(CURLOPT_CAPATH, to: nil)
    }
}

extension TransferRequest {
    /// The part of the origin that one answer about authentication applies to: a folder (RFC 7617
    /// §2.2).
    fileprivate var signInScope: String {
        let folder = url.path().split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return url.origin + folder.joined(separator: "/") + " " + (credentials?.name ?? "")
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
