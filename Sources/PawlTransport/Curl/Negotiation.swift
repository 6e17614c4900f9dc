internal import CCurl
internal import Glibc
internal import PawlCore

/// Tells which protocol a connection speaks before a request is sent over it.
///
/// libcurl 7.88 gives a request that may share a connection any connection to its host that is in
/// use, as soon as one of them speaks HTTP/2: also one that speaks HTTP/1.1, or does not stand yet
/// and will. Two requests over that would take each other's answers. Its head tells the version
/// too late, so TLS is asked what was agreed on (ALPN, RFC 7301).
extension CurlHandle {
    /// Whether `agreesOnHTTP2` can tell.
    static var seesNegotiation: Bool { selectedProtocol != nil }

    /// Has `TransferContext.isAboutToAsk` called when the connection stands.
    func watchConnection(of context: TransferContext) throws(TransferFailure) {
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        let code = pawl_curl_set_prerequest_function(raw, judgeConnection, pointer)
        guard code == CURLE_OK else {
            throw TransferFailure(.local, "libcurl: " + String(cString: curl_easy_strerror(code)))
        }
    }

    var agreesOnHTTP2: Bool {
        var value: UnsafeMutableRawPointer?
        guard let selectedProtocol,
            pawl_curl_get_pointer(raw, CURLINFO_TLS_SSL_PTR, &value) == CURLE_OK, let value
        else { return false }
        let session = value.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee
        guard session.backend == CURLSSLBACKEND_OPENSSL, let tls = session.internals else {
            return false
        }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        selectedProtocol(tls, &name, &count)
        guard let name else { return false }
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }
}

private typealias SelectedProtocol =
    @convention(c) @Sendable (
        UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
        UnsafeMutablePointer<UInt32>
    ) -> Void

/// OpenSSL's `SSL_get0_alpn_selected`, of the very library that libcurl has loaded.
private let selectedProtocol: SelectedProtocol? = {
    guard let symbol = dlsym(nil, "SSL_get0_alpn_selected") else { return nil }
    return unsafeBitCast(symbol, to: SelectedProtocol.self)
}()

private func judgeConnection(
    _ context: UnsafeMutableRawPointer?,
    _ address: UnsafeMutablePointer<CChar>?,
    _ ownAddress: UnsafeMutablePointer<CChar>?,
    _ port: Int32,
    _ ownPort: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_OK }
    let transfer = Unmanaged<TransferContext>.fromOpaque(context).takeUnretainedValue()
    // One that another transfer has made may lead where this one may not go.
    if let address, !transfer.mayGo(to: IPAddress(String(cString: address))) {
        return CURL_PREREQFUNC_ABORT
    }
    let isClear = transfer.isAboutToAsk(
        over: IdleSockets.Endpoints(
            address: address.map { String(cString: $0) } ?? "",
            port: Int(port),
            ownAddress: ownAddress.map { String(cString: $0) } ?? "",
            ownPort: Int(ownPort)
        )
    )
    return isClear ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
