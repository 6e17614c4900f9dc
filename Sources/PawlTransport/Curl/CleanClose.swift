internal import CCurl
internal import Glibc

/// Reports whether a body that ends with its connection ended with TLS's `close_notify`.
///
/// libcurl 7.88 with OpenSSL takes a connection that was cut for one that ended cleanly: because of
/// the way libcurl reads, OpenSSL does not see the end of the stream, and libcurl does not see that
/// `close_notify` is missing. Anyone between client and server could shorten such a body. Only
/// OpenSSL knows the difference, and only until libcurl releases the connection. The progress
/// callback is the last call that libcurl makes before that.
extension CurlHandle {
    /// Makes libcurl call `TransferContext.progressed` from now on.
    func watchProgress(of context: TransferContext) {
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        _ = pawl_curl_set_progress_function(raw, receiveProgress, pointer)
    }

    /// Whether `close_notify` has been received.
    ///
    /// Also `true` if this transfer does not have to check.
    var isClosedCleanly: Bool {
        var value: UnsafeMutableRawPointer?
        guard pawl_curl_get_pointer(raw, CURLINFO_TLS_SSL_PTR, &value) == CURLE_OK, let value else {
            return false
        }
        let session = value.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee
        // The other TLS libraries report a cut connection themselves.
        guard session.backend == CURLSSLBACKEND_OPENSSL else {
            return session.backend != CURLSSLBACKEND_NONE
        }
        guard let tls = session.internals, let shutdownState else { return false }
        return shutdownState(tls) & receivedShutdown != 0
    }
}

/// OpenSSL's `SSL_RECEIVED_SHUTDOWN`.
private let receivedShutdown: Int32 = 2

/// OpenSSL's `SSL_get_shutdown`, from the same library that libcurl has loaded.
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
