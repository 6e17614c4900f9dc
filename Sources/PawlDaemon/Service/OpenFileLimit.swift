internal import Glibc

/// How many files and connections the process may have open.
enum OpenFileLimit {
    private static let wanted: rlim_t = 16_384

    /// The system's usual 1024 are fewer than clients and downloads may need; more is up to the
    /// user's own limit.
    static func raise() {
        var limit = rlimit()
        let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        guard getrlimit(kind, &limit) == 0, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(limit.rlim_max, wanted)
        // As it was is enough for most.
        _ = setrlimit(kind, &limit)
    }
}
