import CCrypto
import SystemPackage

/// The TLS state that all connections of one origin share.
final class TLSContext: @unchecked Sendable {
    // Guard: not changed after init; several threads may call SSL_new.
    let handle: OpaquePointer
    let certificate: TestCertificate

    init(_ certificate: TestCertificate?) throws(Errno) {
        guard let certificate, let handle = SSL_CTX_new(TLS_server_method()) else {
            throw .notSupported
        }
        guard certificate.use(in: handle) else {
            SSL_CTX_free(handle)
            throw .notSupported
        }
        self.handle = handle
        self.certificate = certificate
    }

    deinit { SSL_CTX_free(handle) }
}
