internal import PawlCore

/// The keys of an entry in aria2's lists, for which Pawl has others.
enum ForeignListKey {
    enum Meaning: Hashable {
        /// An option of Pawl.
        case option(String)
        /// An option that Pawl does not need.
        case ignored
        case unknown
    }

    private static let options = [
        "out": "output", "dir": "directory", "max-connection-per-server": "connections",
        "max-download-limit": "limit", "all-proxy": "proxy",
        "http-proxy": "proxy", "https-proxy": "proxy",
        "timeout": "stall-timeout", "ca-certificate": "cacert", "certificate": "cert",
        "private-key": "key", "lowest-speed-limit": "min-speed",
    ]

    private static let ignored: Set = [
        "gid", "max-tries", "continue", "file-allocation", "min-split-size", "auto-file-renaming",
        "always-resume", "allow-piece-length-change", "piece-length", "check-integrity",
        "conditional-get", "uri-selector", "stream-piece-selector", "split",
    ]

    /// Returns what a key of a list means.
    static func meaning(of key: String) -> Meaning {
        if DownloadOptions.isName(key) { return .option(key) }
        if let name = options[key] { return .option(name) }
        return ignored.contains(key) ? .ignored : .unknown
    }
}
