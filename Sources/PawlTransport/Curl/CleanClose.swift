internal import CCurl
internal import Glibc

/// Tells whether a body that ends with its connection has ended by TLS's `close_notify`.
///
/// libcurl 7.88 with OpenSSL takes a connection that was cut for a clean end: its way of reading
/// hides the end of the stream from OpenSSL, and OpenSSL's silence from itself. Anyone on the way
/// could shorten such a body. Only OpenSSL knows, and only while libcurl has not yet let go of the
/// connection: the last call that it makes before is that of the progress callback.
extension CurlHandle {
    /// Has `TransferContext.progressed` called from now on.
    func watchProgress(of context: TransferContext) {
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        _ = pawl_curl_set_progress_function(raw, receiveProgress, pointer)
    }

    /// Whether `close_notify` has come; true as well where it is not for us to ask.
    var isClosedCleanly: Bool {
        var value: UnsafeMutableRawPointer?
        guard pawl_curl_get_pointer(raw, CURLINFO_TLS_SSL_PTR, &value) == CURLE_OK, let value else {
            return false
        }
        let session = value.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee
        // The other libraries report a cut by themselves.
        guard session.backend == CURLSSLBACKEND_OPENSSL else {
            return session.backend != CURLSSLBACKEND_NONE
        }
        guard let tls = session.internals, let shutdownState else { return false }
        return shutdownState(tls) & receivedShutdown != 0
    }
}

/// OpenSSL's `SSL_RECEIVED_SHUTDOWN`.
private let receivedShutdown: Int32 = 2

/// OpenSSL's `SSL_get_shutdown`, of the very library that libcurl has loaded.
private let shutdownState: (@convention(c) @Sendable (UnsafeMutableRawPointer) -> Int32)? = {
    guard let symbol = dlsym(nil, "SSL_get_shutdown") else { return nil }
    return unsafeBitCast(
        symbol,
        to: (@convention(c) @Sendable (UnsafeMutableRawPointer) -> Int32).self
    )
}()

private func receiveProgress(
    _ context: UnsafeMutableRawPointer?,
    _ downloadTotal: curl_off_t,
    _ downloaded: curl_off_t,
    _ uploadTotal: curl_off_t,
    _ uploaded: curl_off_t
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<TransferContext>.fromOpaque(context).takeUnretainedValue()
        .progressed(sent: Int64(uploaded))
    return 0
}
