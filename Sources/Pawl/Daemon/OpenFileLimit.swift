internal import Glibc
package import PawlCore

/// How many files and connections a program of Pawl may have open.
package enum OpenFileLimit {
    private static let wanted: rlim_t = 16_384

    /// Raises the limit as far as the system allows, up to 16,384; returns what it is then.
    ///
    /// The system's usual 1024 are fewer than clients and downloads may need; more is up to the user's
    /// own limit.
    @discardableResult
    package static func raise() -> Int {
        var limit = rlimit()
        let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        guard getrlimit(kind, &limit) == 0 else { return 1024 }
        let old = limit.rlim_cur
        guard old < wanted else { return Int(clamping: old) }
        limit.rlim_cur = min(limit.rlim_max, wanted)
        // As it was is enough for most.
        return Int(clamping: setrlimit(kind, &limit) == 0 ? limit.rlim_cur : old)
    }

    /// Raises the limit, and throws `.usage` if it is still too low for a program to work.
    ///
    /// With fewer, what fails is chance: a checkpoint, the name of a complete file, a thread that cannot
    /// wake another.
    package static func require(_ least: Int) throws(DownloadError) {
        let limit = raise()
        guard limit < least else { return }
        throw DownloadError(
            .usage,
            "a process may have only \(limit) files open, and Pawl needs \(least)",
            advice: "raise the limit: ulimit -n 1024"
        )
    }
}
