internal import CCurl
internal import Glibc

/// Tells whether TLS has taken bytes off the connection that nobody has read yet.
///
/// OpenSSL takes whole records: the bytes of one that follow the end of a body are no longer on the
/// socket.
extension CurlHandle {
    var holdsDecryptedBytes: Bool {
        var value: UnsafeMutableRawPointer?
        guard let hasPending,
            pawl_curl_get_pointer(raw, CURLINFO_TLS_SSL_PTR, &value) == CURLE_OK, let value
        else { return false }
        let session = value.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee
        guard session.backend == CURLSSLBACKEND_OPENSSL, let tls = session.internals else {
            return false
        }
        return hasPending(tls) != 0
    }
}

/// OpenSSL's `SSL_has_pending`, of the very library that libcurl has loaded.
private let hasPending: (@convention(c) @Sendable (UnsafeMutableRawPointer) -> Int32)? = {
    guard let symbol = dlsym(nil, "SSL_has_pending") else { return nil }
    return unsafeBitCast(
        symbol,
        to: (@convention(c) @Sendable (UnsafeMutableRawPointer) -> Int32).self
    )
}()
