internal import CCurl
internal import PawlCore
internal import struct FoundationEssentials.URL

extension TransferFailure.Kind {
    /// The meaning of libcurl's codes.
    ///
    /// A code that is not listed is a local failure: it does not occur in an HTTP exchange.
    private static let byCode: [CURLcode.RawValue: TransferFailure.Kind] = {
        let codes: [TransferFailure.Kind: [CURLcode]] = [
            .nameNotResolved: [CURLE_COULDNT_RESOLVE_HOST],
            .proxyNotResolved: [CURLE_COULDNT_RESOLVE_PROXY],
            // The port that an FTP server has named for the data refuses connections.
            .cannotConnect: [CURLE_COULDNT_CONNECT, CURLE_FTP_WEIRD_PASV_REPLY],
            .proxyRefused: [CURLE_PROXY],
            .interfaceFailed: [CURLE_INTERFACE_FAILED],
            // No other time limit is ever set.
            .connectTimedOut: [CURLE_OPERATION_TIMEDOUT],
            .certificateRefused: [
                CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR,
                CURLE_SSL_INVALIDCERTSTATUS,
            ],
            .keyRefused: [CURLE_SSL_PINNEDPUBKEYNOTMATCH],
            .certificateRequired: [CURLE_SSL_CLIENTCERT],
            .tlsFailed: [
                CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
            ],
            .connectionLost: [
                CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND,
                CURLE_SSL_SHUTDOWN_FAILED, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3,
                CURLE_QUIC_CONNECT_ERROR, CURLE_FTP_ACCEPT_FAILED,
                CURLE_FTP_ACCEPT_TIMEOUT,
            ],
            .bodyIncomplete: [CURLE_PARTIAL_FILE],
            .malformedResponse: [
                CURLE_WEIRD_SERVER_REPLY, CURLE_RANGE_ERROR, CURLE_FILESIZE_EXCEEDED,
                CURLE_TOO_MANY_REDIRECTS, pawl_curl_too_large, CURLE_FTP_WEIRD_PASS_REPLY,
                CURLE_FTP_WEIRD_227_FORMAT, CURLE_FTP_CANT_GET_HOST,
                CURLE_FTP_COULDNT_SET_TYPE, CURLE_FTP_PORT_FAILED,
            ],
            .undecodable: [CURLE_BAD_CONTENT_ENCODING],
            .unsupportedURL: [CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT],
        ]
        var table: [CURLcode.RawValue: TransferFailure.Kind] = [:]
        for (kind, codes) in codes {
            for code in codes { table[code.rawValue] = kind }
        }
        return table
    }()

    init(code: CURLcode) { self = Self.byCode[code.rawValue] ?? .local }
}

extension TransferFailure {
    /// Creates a failure of the kind in the table, except for codes that have two meanings.
    init(
        code: CURLcode,
        of handle: CurlHandle?,
        request: TransferRequest,
        head: HeadCollector
    ) {
        var kind = Kind(code: code)
        var message = handle?.message(for: code) ?? ""
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL where request.url.isHTTP:
            // The response is HTTP/0.9, or not HTTP at all.
            kind = .malformedResponse
        case CURLE_OUT_OF_MEMORY where !head.isFinal && handle?.hasHeardServer == true:
            // libcurl reports a header line over its limit with this code.
            kind = .malformedResponse
            message = "a header line is too long"
        case CURLE_OUT_OF_MEMORY where head.isFinal && request.codings == .decoded,
            pawl_curl_too_large where head.isFinal && request.codings == .decoded:
            // libcurl decodes all bytes that it has read, and keeps at most 64 MiB while it is
            // paused.
            kind = .expandsTooMuch
            message = ""
        case CURLE_WRITE_ERROR where head.isFinal && request.codings == .decoded:
            // libcurl found bytes after the end of the encoded body, such as a second gzip member.
            kind = .undecodable
            message = ""
        case CURLE_RECV_ERROR where message.hasSuffix("in chunked-encoding"):
            kind = .malformedResponse
        case CURLE_RECV_ERROR where message.contains("alert certificate required"),
            CURLE_SSL_CONNECT_ERROR where message.contains("alert certificate required"):
            kind = .certificateRequired
        case CURLE_RECV_ERROR where handle?.proxyRefusal != nil:
            // Some proxies answer 401 to a wrong password.
            kind = [401, 407].contains(handle?.proxyRefusal) ? .proxyUnauthorized : .proxyRefused
        case CURLE_PROXY where handle?.isProxyLoginRefused == true: kind = .proxyUnauthorized
        case CURLE_PROXY where handle?.isNameForProxyUnknown == true: kind = .nameNotResolved
        case CURLE_SSH,
            CURLE_FAILED_INIT where request.scheme == .sftp:
            // The connection broke, or the server cannot read the file: it may be a folder. libcurl
            // has neither another code nor a text.
            kind = handle?.hasReceivedNothing == true ? .fileNotSent : .cannotConnect
        case CURLE_SSL_CERTPROBLEM:
            kind = .clientKeyUnusable
            let file = (request.connection.clientIdentity.certificateFile ?? "").sanitized
            message = "\(file): \(message)"
        case CURLE_READ_ERROR where message.contains("netrc"):
            kind = .passwordFileUnusable
            message = (request.connection.netrcFile ?? "").sanitized
        case CURLE_COULDNT_RESOLVE_HOST where Self.isNameOfProxy(message, request):
            kind = .proxyNotResolved
        case CURLE_SSL_CACERT_BADFILE:
            kind = .authoritiesUnusable
            let file = (request.connection.authoritiesFile ?? "the system's").sanitized
            message = "\(file): \(message)"
        default: break
        }
        if case .environment = request.connection.proxy, message.hasPrefix("Unsupported proxy"),
            case .invalid(let reason) = EnvironmentProxy(for: request)
        {
            (kind, message) = (.proxyUnusable, reason)
        }
        self.init(kind, message)
        isOfProxy =
            switch kind {
            case .certificateRefused, .tlsFailed: Self.isOfProxyTLS(handle, request)
            default: code == CURLE_COULDNT_CONNECT && Self.isOfProxy(message, request)
            }
    }

    /// The URL of the proxy, if one is named for the URL of the request.
    private static func proxy(of request: TransferRequest) -> URL? {
        switch request.connection.proxy {
        case .none: return nil
        case .proxy(let url): return url
        case .environment:
            guard case .proxy(let text) = EnvironmentProxy(for: request) else { return nil }
            return URL(string: text)
        }
    }

    /// Whether TLS failed between this machine and the proxy.
    private static func isOfProxyTLS(_ handle: CurlHandle?, _ request: TransferRequest) -> Bool {
        guard let proxy = proxy(of: request), proxy.scheme?.lowercased() == "https" else {
            return false
        }
        // An exchange without TLS of its own has only that with the proxy.
        let isSecure =
            request.scheme == .https || request.scheme == .ftps || request.scheme == .ftpes
        return !isSecure || handle?.number(CURLINFO_PROXY_SSL_VERIFYRESULT) ?? 0 != 0
    }

    /// Whether a host name that could not be resolved is that of a SOCKS proxy.
    ///
    /// libcurl 7.88 has another code for other proxies only.
    private static func isNameOfProxy(_ message: String, _ request: TransferRequest) -> Bool {
        guard let proxy = proxy(of: request), proxy.scheme?.lowercased().hasPrefix("socks") == true,
            let name = proxy.host(), name != request.url.host()
        else { return false }
        return message.hasSuffix(": \(name)")
    }

    /// Whether a connection that could not be made was one to the proxy.
    private static func isOfProxy(_ message: String, _ request: TransferRequest) -> Bool {
        switch request.connection.proxy {
        case .none: return false
        case .proxy: return true
        case .environment:
            // libcurl 7.88 shows that a proxy applies only by the name in its message.
            let start = "Failed to connect to "
            guard request.goesThroughProxy, message.hasPrefix(start),
                let server = FixedRoute(request).destination
            else { return false }
            let name = server.host[...].trimmed(of: "[]")
            return !message.hasPrefix("\(start)\(name) port \(server.port) ")
        }
    }
}

extension URL {
    fileprivate var isHTTP: Bool {
        let scheme = scheme?.lowercased()
        return scheme == "http" || scheme == "https"
    }
}
