internal import CCurl
internal import Glibc
internal import PawlCore

/// Finds out which protocol a connection speaks before a request is sent over it.
///
/// libcurl 7.88 has a fault: as soon as one connection to a host speaks HTTP/2, a request that may
/// share a connection can be given any connection to that host that is in use. That includes one
/// that speaks HTTP/1.1, or one that is still being made and will speak it. Two requests over such
/// a connection would receive each other's responses. The response head reports the version too
/// late, so TLS is asked which protocol was agreed on (ALPN, RFC 7301).
extension CurlHandle {
    /// Whether `agreesOnHTTP2` can find out.
    static var seesNegotiation: Bool { selectedProtocol != nil }

    /// Makes libcurl call `TransferContext.isAboutToAsk` when the connection is established.
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

/// OpenSSL's `SSL_get0_alpn_selected`, from the same library that libcurl has loaded.
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
    // A connection that another transfer has made may lead to an address that is forbidden to this
    // one.
    if let address, !transfer.mayGo(to: IPAddress(String(cString: address))) {
        return CURL_PREREQFUNC_ABORT
    }
    let isClear = transfer.isAboutToAsk(
        over: ConnectionSockets.Endpoints(
            address: address.map { String(cString: $0) } ?? "",
            port: Int(port),
            ownAddress: ownAddress.map { String(cString: $0) } ?? "",
            ownPort: Int(ownPort)
        )
    )
    return isClear ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
