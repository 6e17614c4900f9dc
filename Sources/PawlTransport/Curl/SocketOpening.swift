internal import CCurl
internal import CPlatform
internal import Glibc
internal import PawlCore

/// Opens the sockets of a transfer, which notes them.
///
/// A request that is limited to the public Internet is kept from connecting to other addresses: the
/// address itself is checked when a socket is opened for it. The name was resolved once by then, so
/// a different DNS answer later changes nothing.
extension CurlHandle {
    func openSockets(for context: TransferContext) throws(TransferFailure) {
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        let code = pawl_curl_set_open_socket_function(raw, openSocket, pointer)
        guard code == CURLE_OK else {
            throw TransferFailure(.local, "libcurl: " + String(cString: curl_easy_strerror(code)))
        }
    }
}

private func openSocket(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return -1 }
    let transfer = Unmanaged<TransferContext>.fromOpaque(context).takeUnretainedValue()
    guard transfer.mayGo(to: ipAddress(address)) else { return -1 }
    let (family, kind) = (address.pointee.family, address.pointee.socktype)
    let opened = socket(family, kind | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    if opened >= 0 { transfer.opened(opened) }
    return opened
}

/// Returns `nil` if the address is neither IPv4 nor IPv6.
private func ipAddress(_ address: UnsafeMutablePointer<curl_sockaddr>) -> IPAddress? {
    let bytes = UnsafeRawPointer(address)
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    switch address.pointee.family {
    case AF_INET:
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: sockaddr_in.self)
        return withUnsafeBytes(of: value.sin_addr) { IPAddress(bytes: Array($0)) }
    case AF_INET6:
        guard address.pointee.addrlen >= MemoryLayout<sockaddr_in6>.size else { return nil }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: sockaddr_in6.self)
        return withUnsafeBytes(of: value.sin6_addr) { IPAddress(bytes: Array($0)) }
    default: return nil
    }
}
