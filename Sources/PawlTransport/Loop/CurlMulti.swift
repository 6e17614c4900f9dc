internal import CCurl
internal import PawlCore

/// A `curl_multi` handle: many transfers and their connections on one thread.
///
/// `@unchecked`: libcurl allows `wake` from any thread; only the loop's thread calls the rest.
final class CurlMulti: @unchecked Sendable {
    /// The number of connections kept open for reuse, for each transport.
    private static let keptConnections = 32

    private let raw: UnsafeMutableRawPointer

    init?() {
        guard let raw = curl_multi_init() else { return nil }
        self.raw = raw
        _ = pawl_curl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, Self.keptConnections)
    }

    deinit { curl_multi_cleanup(raw) }

    func wake() { curl_multi_wakeup(raw) }

    func add(_ handle: CurlHandle) throws(TransferFailure) {
        try check(curl_multi_add_handle(raw, handle.raw))
    }

    func remove(_ handle: CurlHandle) { curl_multi_remove_handle(raw, handle.raw) }

    /// Does everything that can be done without waiting.
    func perform() throws(TransferFailure) {
        var running: Int32 = 0
        try check(curl_multi_perform(raw, &running))
    }

    /// Waits until there is something to do, at most the given time.
    func poll(milliseconds: Int32) throws(TransferFailure) {
        try check(curl_multi_poll(raw, nil, 0, milliseconds, nil))
    }

    /// Returns a transfer that libcurl has ended, and its result code.
    func nextFinished() -> (handle: UnsafeMutableRawPointer, code: CURLcode)? {
        var code = CURLE_OK
        guard let handle = pawl_curl_next_finished(raw, &code) else { return nil }
        return (handle, code)
    }

    private func check(_ code: CURLMcode) throws(TransferFailure) {
        guard code != CURLM_OK else { return }
        throw TransferFailure(.local, String(cString: curl_multi_strerror(code)))
    }
}
