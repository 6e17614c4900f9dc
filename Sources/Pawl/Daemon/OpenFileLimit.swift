internal import Glibc
package import PawlCore

/// The number of files and connections that a program of Pawl may have open.
package enum OpenFileLimit {
    private static let wanted: rlim_t = 16_384

    /// Raises the limit as far as the system allows, up to 16,384.
    ///
    /// Returns the resulting limit.
    ///
    /// The usual limit of 1024 is too low for many clients and downloads; a higher one must be set
    /// by the user.
    @discardableResult
    package static func raise() -> Int {
        var limit = rlimit()
        let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        guard getrlimit(kind, &limit) == 0 else { return 1024 }
        let old = limit.rlim_cur
        guard old < wanted else { return Int(clamping: old) }
        limit.rlim_cur = min(limit.rlim_max, wanted)
        // The old limit is enough for most uses.
        return Int(clamping: setrlimit(kind, &limit) == 0 ? limit.rlim_cur : old)
    }

    /// Raises the limit, and throws `.usage` if it is still too low for a program to work.
    ///
    /// With a lower limit, random operations would fail: a checkpoint, the naming of a complete
    /// file, or waking another thread.
    package static func require(_ least: Int) throws(DownloadError) {
        let limit = raise()
        guard limit < least else { return }
        throw .usage(
            "a process may have only \(limit) files open, and Pawl needs \(least)",
            advice: "raise the limit: ulimit -n 1024"
        )
    }
}
