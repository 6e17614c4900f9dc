internal import CCurl
internal import Glibc

/// Reports whether TLS has read bytes from the connection that no transfer has consumed yet.
///
/// OpenSSL reads whole records. If a record continues after the end of a body, its bytes are no
/// longer on the socket.
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

/// OpenSSL's `SSL_has_pending`, from the same library that libcurl has loaded.
private let hasPending: (@convention(c) @Sendable (UnsafeMutableRawPointer) -> Int32)? = {
    guard let symbol = dlsym(nil, "SSL_has_pending") else { return nil }
    return unsafeBitCast(
        symbol,
        to: (@convention(c) @Sendable (UnsafeMutableRawPointer) -> Int32).self
    )
}()
