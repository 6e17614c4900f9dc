internal import CCurl
internal import Glibc
internal import PawlCore
internal import struct FoundationEssentials.URL

/// A `curl_easy` handle, with everything that must live as long as its options.
///
/// Used by one thread only.
final class CurlHandle {
    let raw: UnsafeMutableRawPointer
    private let tenant: LoopTenant
    /// It outlives the handle.
    private let share: CurlShare
    private let errorText: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var targets: UnsafeMutablePointer<curl_slist>?
    private var resolvedNames: UnsafeMutablePointer<curl_slist>?
    /// The handle's cookies, which survive a reset; `nil` until it has been given some.
    private var cookies: CookieJar.Contents?
    /// Whether the cookies have not changed since they were given to the handle.
    private var hasOldCookies = true
    /// Whether libcurl ignores all cookies that the handle is given before its next transfer.
    ///
    /// Visible to the owner of the handle.
    private(set) var takesNoCookies = false

    /// The number of cookies that libcurl takes from a response.
    ///
    /// After that many, it also ignores those of `CURLOPT_COOKIELIST` (libcurl 7.88).
    private static let cookieLimit = 50

    init(share: CurlShare, tenant: LoopTenant) throws(TransferFailure) {
        // Without a share it would use connections of other transports.
        guard let common = share.raw, let raw = curl_easy_init() else {
            throw TransferFailure(.local, "libcurl cannot create a handle")
        }
        self.raw = raw
        self.tenant = tenant
        self.share = share
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        // The share survives a reset.
        try set(CURLOPT_SHARE, to: common)
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(fields)
        curl_slist_free_all(targets)
        curl_slist_free_all(resolvedNames)
        errorText.deallocate()
    }

    /// Resets the handle to a new one's state, except for connections and caches.
    func reset() {
        curl_easy_reset(raw)
        curl_slist_free_all(fields)
        curl_slist_free_all(targets)
        curl_slist_free_all(resolvedNames)
        (fields, targets, resolvedNames) = (nil, nil, nil)
        errorText[0] = 0
    }

    /// libcurl's own description of what went wrong, made safe to show.
    func message(for code: CURLcode) -> String {
        let text = String(cString: errorText)
        return Self.shown(text.isEmpty ? String(cString: curl_easy_strerror(code)) : text)
    }

    /// A text of libcurl without control characters, and without a proxy that it quotes, which may
    /// contain a password.
    private static func shown(_ text: String) -> String {
        guard text.hasPrefix("Unsupported proxy"), let quote = text.firstIndex(of: "'") else {
            return text.sanitized
        }
        return text[..<quote].trimmed(of: " ").sanitized
    }

    // MARK: - Options

    func set(_ option: CURLoption, to value: Int) throws(TransferFailure) {
        try check(pawl_curl_set_long(raw, option, value))
    }

    func set(_ option: CURLoption, to isOn: Bool) throws(TransferFailure) {
        try set(option, to: isOn ? 1 : 0)
    }

    func set(_ option: CURLoption, to text: String?) throws(TransferFailure) {
        try check(pawl_curl_set_string(raw, option, text))
    }

    func set(_ option: CURLoption, toBytes bytes: [UInt8]) throws(TransferFailure) {
        let text = bytes.map { CChar(bitPattern: $0) } + [0]
        try check(pawl_curl_set_string(raw, option, text))
    }

    func set(_ option: CURLoption, to pointer: UnsafeMutableRawPointer) throws(TransferFailure) {
        try check(pawl_curl_set_pointer(raw, option, pointer))
    }

    /// Makes libcurl read little at once from now on.
    ///
    /// It decodes all that it has read, even while it is paused, and a few bytes may become very
    /// many.
    func readInSmallPieces() {
        // Larger pieces only cost more memory.
        try? set(CURLOPT_BUFFERSIZE, to: 8 << 10)
    }

    /// Sets the header lines to send.
    ///
    /// They are kept until the reset.
    func setFieldLines(_ lines: [String]) throws(TransferFailure) {
        try Self.append(lines, to: &fields)
        try check(pawl_curl_set_list(raw, CURLOPT_HTTPHEADER, fields))
    }

    /// Sets the hosts to connect to in place of others, and the addresses of names.
    ///
    /// They are kept until the reset.
    func setTargets(_ route: FixedRoute) throws(TransferFailure) {
        if !route.targets.isEmpty {
            try Self.append(route.targets, to: &targets)
            try check(pawl_curl_set_list(raw, CURLOPT_CONNECT_TO, targets))
        }
        guard !route.names.isEmpty else { return }
        try Self.append(route.names, to: &resolvedNames)
        try check(pawl_curl_set_list(raw, CURLOPT_RESOLVE, resolvedNames))
    }

    private static func append(
        _ lines: [String],
        to list: inout UnsafeMutablePointer<curl_slist>?
    ) throws(TransferFailure) {
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                throw TransferFailure(.local, "not enough memory for the options of a request")
            }
            list = longer
        }
    }

    /// Sets the request's body, which is copied.
    ///
    /// The method becomes POST unless another one is set.
    func setBody(_ body: [UInt8]) throws(TransferFailure) {
        // The size comes first: libcurl copies that many bytes.
        try check(pawl_curl_set_offset(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        guard !body.isEmpty else { return try set(CURLOPT_COPYPOSTFIELDS, to: "") }
        try check(
            body.withUnsafeBytes { bytes in
                pawl_curl_set_pointer(
                    raw,
                    CURLOPT_COPYPOSTFIELDS,
                    UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                )
            }
        )
    }

    /// Announces a body that libcurl reads while it sends it; -1 is an unknown length.
    func announceBody(length: Int64) throws(TransferFailure) {
        try set(CURLOPT_UPLOAD, to: true)
        try check(pawl_curl_set_offset(raw, CURLOPT_INFILESIZE_LARGE, curl_off_t(length)))
    }

    func setErrorText() throws(TransferFailure) {
        try set(CURLOPT_ERRORBUFFER, to: UnsafeMutableRawPointer(errorText))
    }

    /// Whether the buffer's size can be changed.
    ///
    /// libcurl (7.88) keeps the buffer of a transfer that ended before it had a connection (for
    /// example because its host has no address), or that left a connection in use by others. Then
    /// it rejects any size as a bad argument.
    var takesBufferSize: Bool {
        pawl_curl_set_long(raw, CURLOPT_BUFFERSIZE, 16 * 1_024) == CURLE_OK
    }

    /// Makes libcurl open a new connection, even if others are idle.
    func useNewConnection() throws(TransferFailure) { try set(CURLOPT_FRESH_CONNECT, to: true) }

    /// Sets the object that the callbacks work on; it is not retained.
    func setContext(_ pointer: UnsafeMutableRawPointer) throws(TransferFailure) {
        try check(pawl_curl_set_data_function(raw, CURLOPT_HEADERFUNCTION, receiveHeadLine))
        try set(CURLOPT_HEADERDATA, to: pointer)
        try check(pawl_curl_set_data_function(raw, CURLOPT_WRITEFUNCTION, receiveBody))
        try set(CURLOPT_WRITEDATA, to: pointer)
        try set(CURLOPT_PRIVATE, to: pointer)
        let context = Unmanaged<TransferContext>.fromOpaque(pointer).takeUnretainedValue()
        if !context.request.body.isEmpty || context.feed != nil { watchProgress(of: context) }
        if context.request.scheme == .sftp { try checkHostKey(of: context) }
    }

    /// Throws if libcurl has refused an option.
    func check(_ code: CURLcode) throws(TransferFailure) {
        guard code != CURLE_OK else { return }
        throw TransferFailure(.local, "libcurl: " + String(cString: curl_easy_strerror(code)))
    }

    // MARK: - Authentication

    /// Remembers from a response head which authentication scheme the origin wants.
    func noteScheme(of request: TransferRequest, isSignedIn: Bool) {
        guard request.mayHaveCredentials else { return }
        guard isSignedIn else { return tenant.basicOrigins.remove(request.signInScope) }
        // Only an exchange in which the server asked for credentials offers any.
        let offered = number(CURLINFO_HTTPAUTH_AVAIL)
        guard offered & pawl_curl_auth_basic != 0, offered & pawl_curl_auth_digest == 0 else {
            return
        }
        tenant.basicOrigins.insert(request.signInScope)
    }

    /// Whether the origin of a request accepts Basic authentication only.
    func usesBasicOnly(_ request: TransferRequest) -> Bool {
        tenant.basicOrigins.contains(request.signInScope)
    }

    // MARK: - Cookies

    /// Makes libcurl send exactly the cookies of the request's jar.
    ///
    /// Received cookies are held until `keepCookies`.
    func setCookies(_ request: TransferRequest) throws(TransferFailure) {
        guard let jar = request.cookies else {
            if cookies != nil { try dropCookies() }
            return
        }
        if hasOldCookies, jar.has(revision: cookies?.revision) { return }
        try dropCookies()
        hasOldCookies = true
        let contents = jar.contents
        for line in contents.lines {
            try set(CURLOPT_COOKIELIST, toBytes: LosslessText.bytes(of: line))
        }
        cookies = contents
    }

    /// Stores the cookies that the servers of this transfer have set in the request's jar.
    ///
    /// `count` is their number.
    func keepCookies(of request: TransferRequest, count: Int) {
        if count >= Self.cookieLimit { takesNoCookies = true }
        guard let jar = request.cookies, let before = cookies else { return }
        jar.change(before.lines, to: cookieLines)
        hasOldCookies = false
    }

    private func dropCookies() throws(TransferFailure) {
        // Setting no file name starts the cookie engine as well as setting one. CURLOPT_COOKIEFILE,
        // which is meant for this, leaks a little memory with each reset (libcurl 7.88).
        if cookies == nil { try set(CURLOPT_COOKIEJAR, to: nil) }
        try set(CURLOPT_COOKIELIST, to: "ALL")
    }

    private var cookieLines: [String] {
        var value: UnsafeMutableRawPointer?
        guard pawl_curl_get_pointer(raw, CURLINFO_COOKIELIST, &value) == CURLE_OK, let value else {
            return []
        }
        let list = value.assumingMemoryBound(to: curl_slist.self)
        defer { curl_slist_free_all(list) }
        var lines: [String] = []
        var next: UnsafeMutablePointer<curl_slist>? = list
        while let entry = next {
            if let data = entry.pointee.data {
                let bytes = UnsafeRawBufferPointer(start: data, count: strlen(data))
                lines.append(LosslessText.text(of: Array(bytes)))
            }
            next = entry.pointee.next
        }
        return lines
    }

    // MARK: - Facts of the transfer

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return pawl_curl_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    func offset(_ info: CURLINFO) -> Int64? {
        var value: curl_off_t = 0
        return pawl_curl_get_offset(raw, info, &value) == CURLE_OK ? Int64(value) : nil
    }

    /// Whether the connection of the transfer that ended is still open for another transfer.
    var keepsConnection: Bool {
        var socket: curl_socket_t = -1
        let code = pawl_curl_get_socket(raw, CURLINFO_ACTIVESOCKET, &socket)
        return code == CURLE_OK && socket != -1
    }

    /// Whether the transfer reused a connection instead of making one.
    var usesOldConnection: Bool { number(CURLINFO_NUM_CONNECTS) == 0 }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutableRawPointer?
        guard pawl_curl_get_pointer(raw, info, &value) == CURLE_OK, let value else { return nil }
        let text = String(cString: value.assumingMemoryBound(to: CChar.self))
        return text.isEmpty ? nil : text
    }

    /// The length that the head declared; -1 if it declared none.
    var contentLength: Int64? { offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) }

    /// The status with which a proxy refused `CONNECT`; `nil` if none did.
    var proxyRefusal: Int? {
        let status = number(CURLINFO_HTTP_CONNECTCODE)
        return status == 0 || (200...299).contains(status) ? nil : status
    }

    /// Whether a SOCKS proxy did not accept the name and password, or requires some.
    var isProxyLoginRefused: Bool {
        let refusals = [
            CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_GSSAPI, CURLPX_IDENTD,
            CURLPX_IDENTD_DIFFER,
        ]
        return refusals.contains { Int($0.rawValue) == number(CURLINFO_PROXY_ERROR) }
    }

    /// Whether the server's name, which a SOCKS proxy is not asked to resolve, is unknown.
    var isNameForProxyUnknown: Bool {
        number(CURLINFO_PROXY_ERROR) == Int(CURLPX_RESOLVE_HOST.rawValue)
    }

    /// Whether the server has accepted the login, and then sent no byte of a file.
    var hasReceivedNothing: Bool {
        time(CURLINFO_APPCONNECT_TIME_T) != nil && offset(CURLINFO_SIZE_DOWNLOAD_T) == 0
    }

    /// The timings that libcurl has measured so far.
    var timings: TransferTimings {
        var timings = TransferTimings()
        timings.nameResolved = time(CURLINFO_NAMELOOKUP_TIME_T)
        timings.connected = time(CURLINFO_CONNECT_TIME_T)
        timings.secured = time(CURLINFO_APPCONNECT_TIME_T)
        timings.firstByte = time(CURLINFO_STARTTRANSFER_TIME_T)
        timings.total = time(CURLINFO_TOTAL_TIME_T) ?? .zero
        // Until the request is sent, no connection is known that could be a reused one.
        let isSent = time(CURLINFO_PRETRANSFER_TIME_T) != nil
        timings.reusedConnection = isSent && usesOldConnection
        timings.remoteAddress = text(CURLINFO_PRIMARY_IP)
        return timings
    }

    /// The time that it took to make the connection of a received head; `nil` if the connection was
    /// reused.
    var connectTime: Duration? {
        var timings = TransferTimings()
        timings.reusedConnection = usesOldConnection
        guard !timings.reusedConnection else { return nil }
        timings.nameResolved = time(CURLINFO_NAMELOOKUP_TIME_T)
        timings.connected = time(CURLINFO_CONNECT_TIME_T)
        return timings.connectTime
    }

    /// This machine's address of the connection; empty if there is none.
    var localAddress: String { text(CURLINFO_LOCAL_IP) ?? "" }

    /// Whether at least one byte of a response has been received.
    var hasHeardServer: Bool { time(CURLINFO_STARTTRANSFER_TIME_T) != nil }

    /// Returns `nil` if the transfer has not reached that point.
    private func time(_ info: CURLINFO) -> Duration? {
        guard let microseconds = offset(info), microseconds > 0 else { return nil }
        return .microseconds(microseconds)
    }

    /// Returns the object that was passed to `setContext`.
    static func context(of raw: UnsafeMutableRawPointer) -> TransferContext? {
        var value: UnsafeMutableRawPointer?
        guard pawl_curl_get_pointer(raw, CURLINFO_PRIVATE, &value) == CURLE_OK, let value else {
            return nil
        }
        return Unmanaged<TransferContext>.fromOpaque(value).takeUnretainedValue()
    }
}

extension TransferRequest {
    fileprivate var mayHaveCredentials: Bool {
        credentials != nil || connection.netrcFile != nil
    }

    /// The part of the origin that one response about authentication applies to: a folder (RFC 7617
    /// §2.2).
    fileprivate var signInScope: String {
        url.origin + url.path().pathFolder + " " + (credentials?.name ?? "")
    }
}

private func receiveHeadLine(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<TransferContext>.fromOpaque(context).takeUnretainedValue()
    // libcurl's `size` is always 1.
    return transfer.receivedHeadLine(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context, count > 0 else { return 0 }
    let transfer = Unmanaged<TransferContext>.fromOpaque(context).takeUnretainedValue()
    return transfer.received(UnsafeRawBufferPointer(start: bytes, count: count))
}
