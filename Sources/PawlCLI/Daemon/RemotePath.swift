package import PawlCore

/// Paths on the machine of a daemon over TCP.
package enum RemotePath {
    /// Returns the path as the daemon takes it: an absolute one, or one that is relative to the
    /// daemon's folder for downloads.
    ///
    /// Throws `.usage` for a path that is relative to the current folder of this machine.
    package static func check(_ path: String, _ option: String) throws(DownloadError) -> String {
        let names = path.pathNames
        guard !names.contains("."), !names.contains("..") else {
            throw .usage(
                "\(option): '\(path.sanitized(atMost: 200))' is relative to a folder of this machine, and "
                    + "the files are saved on that of the daemon",
                advice:
                    "give an absolute path on the daemon's machine, or one without '.' and '..', which "
                    + "is relative to its folder for downloads"
            )
        }
        return path
    }
}
