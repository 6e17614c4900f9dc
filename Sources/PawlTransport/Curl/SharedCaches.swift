internal import CCurl
internal import Glibc

/// What all loops share: resolved names, TLS sessions, the origins that accept Basic credentials,
/// and those that do not multiplex.
///
/// `@unchecked`: libcurl guards the data behind `raw` with `locks`, one per kind of data.
final class SharedCaches: @unchecked Sendable {
    private static let lockCount = Int(CURL_LOCK_DATA_LAST.rawValue)
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The share handle; `nil` if memory is short.
    ///
    /// Then every handle has its own caches.
    let raw: UnsafeMutableRawPointer?
    let basicOrigins = BasicOrigins()
    let serialOrigins = SerialOrigins()
    private let locks: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        locks = .allocate(capacity: Self.lockCount)
        locks.initialize(repeating: pthread_mutex_t(), count: Self.lockCount)
        for index in 0..<Self.lockCount { pthread_mutex_init(locks + index, nil) }
        raw = Self.isLibraryReady ? curl_share_init() : nil
        guard let raw else { return }
        _ = pawl_curl_share_set_lock(raw, lockData, unlockData, locks)
        for kind in [CURL_LOCK_DATA_DNS, CURL_LOCK_DATA_SSL_SESSION] {
            _ = pawl_curl_share_set_long(raw, CURLSHOPT_SHARE, Int(kind.rawValue))
        }
    }

    deinit {
        if let raw { curl_share_cleanup(raw) }
        for index in 0..<Self.lockCount { pthread_mutex_destroy(locks + index) }
        locks.deallocate()
    }
}

private func lockData(
    _ handle: UnsafeMutableRawPointer?,
    _ data: curl_lock_data,
    _ access: curl_lock_access,
    _ locks: UnsafeMutableRawPointer?
) {
    guard let locks, data.rawValue < CURL_LOCK_DATA_LAST.rawValue else { return }
    pthread_mutex_lock(locks.assumingMemoryBound(to: pthread_mutex_t.self) + Int(data.rawValue))
}

private func unlockData(
    _ handle: UnsafeMutableRawPointer?,
    _ data: curl_lock_data,
    _ locks: UnsafeMutableRawPointer?
) {
    guard let locks, data.rawValue < CURL_LOCK_DATA_LAST.rawValue else { return }
    pthread_mutex_unlock(locks.assumingMemoryBound(to: pthread_mutex_t.self) + Int(data.rawValue))
}
