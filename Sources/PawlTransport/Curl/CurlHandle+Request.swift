internal import CCurl
internal import PawlCore
internal import struct FoundationEssentials.URL

extension CurlHandle {
    /// Sets all options for a request, on a new or reset handle.
    ///
    /// `bufferBytes`: the most that libcurl reads at a time; nil for a connection that others use, too.
    func configure(
        for request: TransferRequest,
        bufferBytes: Int?
    ) throws(TransferFailure) {
        try setErrorText()
        try setTarget(request)
        try setVersion(multiplexes: bufferBytes == nil)
        // HTTP/2 comes in frames that are no larger than the default, 16 KiB.
        if let bufferBytes {
            try set(CURLOPT_BUFFERSIZE, to: min(max(1_024, bufferBytes), 512 * 1_024))
        }
        try setMethod(request)
        try setFields(request)
        try setCookies(request)
        try setConnection(request.connection)
        try setTrust(request.connection)
    }

    /// Whether the buffer can be changed.
    ///
    /// libcurl (7.88) keeps that of a transfer which ended before it had a connection, as its host has
    /// no address, or which left a connection that others use: then it calls any size a bad argument.
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
                throw TransferFailure(.local, "an empty range cannot be asked for")
            }
            try set(CURLOPT_RANGE, to: range.description)
        }
    }

    /// HTTP/2 shares connections and waits for one that is being made; HTTP/1.1 has its own.
    private func setVersion(multiplexes: Bool) throws(TransferFailure) {
        let version = multiplexes ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        try set(CURLOPT_HTTP_VERSION, to: Int(version))
        try set(CURLOPT_PIPEWAIT, to: multiplexes)
    }

    private func setMethod(_ request: TransferRequest) throws(TransferFailure) {
        let method = request.method
        guard RequestMethod.isUsable(method) else {
            throw TransferFailure(.local, "the method '\(method.sanitized)' cannot be sent")
        }
        if request.hasBody {
            guard method != "HEAD" else {
                throw TransferFailure(.local, "HEAD cannot be sent with a body")
            }
            try setBody(request.body)
            if method != "POST" { try set(CURLOPT_CUSTOMREQUEST, to: method) }
        } else if method == "HEAD" {
            try set(CURLOPT_NOBODY, to: true)
        } else if method != "GET" {
            try set(CURLOPT_CUSTOMREQUEST, to: method)
        }
        // libcurl asks again by itself where a connection that it uses again turns out to be dead;
        // the server may have carried the request out all the same.
        try set(CURLOPT_FRESH_CONNECT, to: !RequestMethod.isIdempotent(method))
    }

    /// Has libcurl make a connection, whichever are idle.
    func useNewConnection() throws(TransferFailure) { try set(CURLOPT_FRESH_CONNECT, to: true) }

    /// What libcurl would add to a body that it takes for a form: a type, and a question.
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
                    "the field '\(field.name.sanitized)' cannot be sent: bad characters"
                )
            }
            if field.name.lowercased() == "cookie" {
                cookies.append(field.value)
            } else if field.framesBody {
                // The transport's own, from the body itself.
                continue
            } else {
                // libcurl takes `Name:` as the wish to send no such field.
                lines.append(
                    field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
                )
            }
        }
        try setFieldLines(lines)
        // These join the cookies that servers have set: there may not be two such fields
        // (RFC 6265 §5.4).
        if !cookies.isEmpty { try set(CURLOPT_COOKIE, to: cookies.joined(separator: "; ")) }
        try setCredentials(request)
    }

    private func setCredentials(_ request: TransferRequest) throws(TransferFailure) {
        guard let credentials = request.credentials else { return }
        guard !credentials.name.breaksLine, !credentials.password.breaksLine else {
            throw TransferFailure(.local, "the credentials cannot be sent: bad characters")
        }
        try set(CURLOPT_USERNAME, to: credentials.name)
        try set(CURLOPT_PASSWORD, to: credentials.password)
        let isBasic = basicOrigins.contains(request.signInScope)
        let schemes = isBasic ? pawl_curl_auth_basic : pawl_curl_auth_basic | pawl_curl_auth_digest
        try set(CURLOPT_HTTPAUTH, to: Int(schemes))
    }

    /// Remembers from a head how the origin wants to be signed in to.
    func noteScheme(of request: TransferRequest, isSignedIn: Bool) {
        guard request.credentials != nil else { return }
        guard isSignedIn else { return basicOrigins.remove(request.signInScope) }
        // Only an exchange that was asked for credentials offers any.
        let offered = number(CURLINFO_HTTPAUTH_AVAIL)
        guard offered & pawl_curl_auth_basic != 0, offered & pawl_curl_auth_digest == 0 else {
            return
        }
        basicOrigins.insert(request.signInScope)
    }

    private func setConnection(_ settings: ConnectionSettings) throws(TransferFailure) {
        guard !settings.userAgent.breaksLine else {
            throw TransferFailure(.local, "the user agent cannot be sent: bad characters")
        }
        try set(CURLOPT_USERAGENT, to: settings.userAgent)
        if let path = settings.socketPath {
            try set(CURLOPT_UNIX_SOCKET_PATH, to: path)
            // An empty one is none, whatever the environment says.
            try set(CURLOPT_PROXY, to: "")
        }
        let milliseconds = settings.connectTimeout.nanoseconds / 1_000_000
        try set(CURLOPT_CONNECTTIMEOUT_MS, to: Int(min(max(1, milliseconds), 1 << 30)))
        try set(CURLOPT_TCP_KEEPALIVE, to: true)
        try set(CURLOPT_NOPROGRESS, to: true)
        try set(CURLOPT_NOSIGNAL, to: true)
        // Else ending a transfer whose name is being resolved waits for the resolver, and every
        // other transfer of the loop with it.
        try set(CURLOPT_QUICK_EXIT, to: true)
    }

    private func setTrust(_ settings: ConnectionSettings) throws(TransferFailure) {
        if settings.allowsUntrustedCertificates {
            try set(CURLOPT_SSL_VERIFYPEER, to: false)
            try set(CURLOPT_SSL_VERIFYHOST, to: false)
        }
        guard let file = settings.authoritiesFile else { return }
        try set(CURLOPT_CAINFO, to: file)
        // The system's authorities would count as well.
        try set(CURLOPT_CAPATH, to: nil)
    }
}

extension TransferRequest {
    /// What one answer about signing in holds for: this folder of the origin (RFC 7617 §2.2).
    fileprivate var signInScope: String {
        let folder = url.path().split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return url.origin + folder.joined(separator: "/") + " " + (credentials?.name ?? "")
    }
}

extension HTTPField {
    fileprivate var framesBody: Bool { hasName("Content-Length") || hasName("Transfer-Encoding") }
}

extension String {
    /// Whether this would end a line of a head, or a C string.
    fileprivate var breaksLine: Bool {
        utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    }
}
