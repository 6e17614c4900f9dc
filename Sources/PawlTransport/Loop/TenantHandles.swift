internal import CCurl
internal import PawlCore

/// What one loop keeps for one group of transfers: idle handles, and what they share.
///
/// Used by the loop's thread only. The share has a connection cache of its own, so libcurl never
/// gives a transfer the connection of another transport. libcurl allows that on one thread
/// (`CURL_LOCK_DATA_CONNECT`).
final class TenantHandles {
    private static let idleLimit = 32

    private let share: CurlShare
    private let tenant: LoopTenant
    private var idle: [CurlHandle] = []
    /// The number of handles that transfers use.
    private var inUse = 0
    /// A number that grows with each use of any handle of the loop.
    ///
    /// Visible to the loop.
    private(set) var lastUse = 0

    init(_ tenant: LoopTenant) {
        self.tenant = tenant
        share = CurlShare()
    }

    /// Takes an idle handle, or creates one.
    ///
    /// A handle whose buffer has the wrong size and cannot be changed is dropped.
    func take(anyBufferSize: Bool, use: Int) throws(TransferFailure) -> CurlHandle {
        lastUse = use
        while let handle = idle.popLast() {
            guard anyBufferSize || handle.takesBufferSize else { continue }
            inUse += 1
            return handle
        }
        let handle = try CurlHandle(share: share, tenant: tenant)
        inUse += 1
        return handle
    }

    var isIdle: Bool { inUse == 0 }

    func giveBack(_ handle: CurlHandle) {
        inUse -= 1
        if handle.takesNoCookies { return }
        handle.reset()
        if idle.count < Self.idleLimit { idle.append(handle) }
    }
}

/// The connections and TLS sessions that the handles of one transport share on one thread.
///
/// It lives until the last handle is released. Names are resolved by the loop for all transports.
final class CurlShare {
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The share handle; `nil` if memory is short.
    ///
    /// Then no handle can be made.
    let raw: UnsafeMutableRawPointer?

    init() {
        raw = Self.isLibraryReady ? curl_share_init() : nil
        guard let raw else { return }
        for kind in [CURL_LOCK_DATA_CONNECT, CURL_LOCK_DATA_SSL_SESSION] {
            _ = pawl_curl_share_set_long(raw, CURLSHOPT_SHARE, Int(kind.rawValue))
        }
    }

    deinit { if let raw { curl_share_cleanup(raw) } }
}
