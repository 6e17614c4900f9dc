import Glibc

/// TLS for the origin, with the same OpenSSL that libcurl has loaded.
final class TLSServer: Sendable {
    /// The certificate, which is its own authority, in PEM.
    let certificateFile: String
    private let folder: String
    private let keyFile: String

    /// `nil` if libcurl uses another library.
    init?() throws {
        guard OpenSSL.shared != nil else { return nil }
        var template = Array("/tmp/pawl-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SupportFailure(message: "no folder") }
        folder = template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        certificateFile = folder + "/certificate.pem"
        keyFile = folder + "/key.pem"
        try write(testCertificate, to: certificateFile)
        try write(testKey, to: keyFile)
    }

    deinit {
        unlink(certificateFile)
        unlink(keyFile)
        rmdir(folder)
    }

    func accept(_ descriptor: Int32) -> TLSSession? {
        guard let library = OpenSSL.shared, let method = library.serverMethod(),
            let context = library.newContext(method)
        else { return nil }
        _ = library.useCertificate(context, certificateFile, 1)
        _ = library.useKey(context, keyFile, 1)
        guard let raw = library.newSession(context) else { return nil }
        library.freeContext(context)
        _ = library.setDescriptor(raw, descriptor)
        _ = library.accept(raw)
        return TLSSession(raw: raw, library: library)
    }
}

struct TLSSession {
    fileprivate let raw: UnsafeMutableRawPointer
    fileprivate let library: OpenSSL

    func read(_ byte: inout UInt8) -> Int { Int(library.read(raw, &byte, 1)) }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        Int(library.write(raw, bytes.baseAddress, Int32(bytes.count)))
    }

    func end(notifying: Bool) {
        if notifying { _ = library.shutdown(raw) }
        library.freeSession(raw)
    }
}

private typealias Pointer = UnsafeMutableRawPointer

private struct OpenSSL: Sendable {
    static let shared = OpenSSL()

    let serverMethod: @convention(c) @Sendable () -> Pointer?
    let newContext: @convention(c) @Sendable (Pointer) -> Pointer?
    let useCertificate: @convention(c) @Sendable (Pointer, UnsafePointer<CChar>, Int32) -> Int32
    let useKey: @convention(c) @Sendable (Pointer, UnsafePointer<CChar>, Int32) -> Int32
    let newSession: @convention(c) @Sendable (Pointer) -> Pointer?
    let setDescriptor: @convention(c) @Sendable (Pointer, Int32) -> Int32
    let accept: @convention(c) @Sendable (Pointer) -> Int32
    let read: @convention(c) @Sendable (Pointer, Pointer, Int32) -> Int32
    let write: @convention(c) @Sendable (Pointer, UnsafeRawPointer?, Int32) -> Int32
    let shutdown: @convention(c) @Sendable (Pointer) -> Int32
    let freeSession: @convention(c) @Sendable (Pointer) -> Void
    let freeContext: @convention(c) @Sendable (Pointer) -> Void

    init?() {
        func find<Function>(_ name: String, as type: Function.Type) -> Function? {
            dlsym(nil, name).map { unsafeBitCast($0, to: type) }
        }
        typealias Load = @convention(c) @Sendable (Pointer, UnsafePointer<CChar>, Int32) -> Int32
        guard
            let serverMethod = find(
                "TLS_server_method",
                as: (@convention(c) @Sendable () -> Pointer?).self
            ),
            let newContext = find(
                "SSL_CTX_new",
                as: (@convention(c) @Sendable (Pointer) -> Pointer?).self
            ),
            let useCertificate = find("SSL_CTX_use_certificate_file", as: Load.self),
            let useKey = find("SSL_CTX_use_PrivateKey_file", as: Load.self),
            let newSession = find(
                "SSL_new",
                as: (@convention(c) @Sendable (Pointer) -> Pointer?).self
            ),
            let setDescriptor = find(
                "SSL_set_fd",
                as: (@convention(c) @Sendable (Pointer, Int32) -> Int32).self
            ),
            let accept = find(
                "SSL_accept",
                as: (@convention(c) @Sendable (Pointer) -> Int32).self
            ),
            let read = find(
                "SSL_read",
                as: (@convention(c) @Sendable (Pointer, Pointer, Int32) -> Int32).self
            ),
            let write = find(
                "SSL_write",
                as: (@convention(c) @Sendable (Pointer, UnsafeRawPointer?, Int32) -> Int32).self
            ),
            let shutdown = find(
                "SSL_shutdown",
                as: (@convention(c) @Sendable (Pointer) -> Int32).self
            ),
            let freeSession = find(
                "SSL_free",
                as: (@convention(c) @Sendable (Pointer) -> Void).self
            ),
            let freeContext = find(
                "SSL_CTX_free",
                as: (@convention(c) @Sendable (Pointer) -> Void).self
            )
        else { return nil }
        self.serverMethod = serverMethod
        self.newContext = newContext
        self.useCertificate = useCertificate
        self.useKey = useKey
        self.newSession = newSession
        self.setDescriptor = setDescriptor
        self.accept = accept
        self.read = read
        self.write = write
        self.shutdown = shutdown
        self.freeSession = freeSession
        self.freeContext = freeContext
    }
}

private func write(_ text: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard file >= 0 else { throw SupportFailure(message: "cannot write \(path)") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
        throw SupportFailure(message: "cannot write \(path)")
    }
}

/// For localhost and 127.0.0.1.
///
/// No real server accepts it.
private let testCertificate = """
    -----BEGIN CERTIFICATE-----
    MIIBmjCCAUGgAwIBAgIUGh5ubDG1QEOADbmCvrvJViBCUdQwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA4MDkyOFoYDzIxMjYxMDI4
    MDgwOTI4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAATddCVjXQDg0uZpKlV2KVZSt/iy6wXmRDDpn2Jtf72z+kdyR5uUoTHH
    UUm4nB0VjyMxxerfxHsApZHFrcjkSxduo28wbTAdBgNVHQ4EFgQUPb4rxjIMhW6r
    IKgOc2nbtjcX0G0wHwYDVR0jBBgwFoAUPb4rxjIMhW6rIKgOc2nbtjcX0G0wDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDRwAwRAIgLBSTnIu7YR90D5QaGqrk4X65Pb37mqZ2NI7lnPfQapICIGwH
    5uWQZ9LZtp9QxTTSh6cqmQ+J0OluUnoHjb+A8OaS
    -----END CERTIFICATE-----

    """

private let testKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgw5r9bsoLbzpT2YK9
    6x5QR9AHnILT0EROjgZhJW8epYqhRANCAATddCVjXQDg0uZpKlV2KVZSt/iy6wXm
    RDDpn2Jtf72z+kdyR5uUoTHHUUm4nB0VjyMxxerfxHsApZHFrcjkSxdu
    -----END PRIVATE KEY-----

    """
