internal import Glibc
internal import PawlCore

/// The current folder, which makes paths absolute for the daemon.
enum CurrentFolder {
    /// Returns the path itself if it is absolute, otherwise the path below the current folder.
    ///
    /// `option` is the option that takes an absolute path.
    static func absolute(
        _ other: String,
        option: String = "--directory"
    ) throws(DownloadError) -> String {
        guard !other.isAbsolutePath else { return other }
        guard !ObjectAddress.isOne(other) else {
            throw .usage(
                "\(option): '\(AddressParts(other).redacted)' is in a bucket",
                advice: "give a path of this machine"
            )
        }
        guard let path = getcwd(nil, 0) else {
            guard errno != ENOENT else { throw .currentFolderRemoved(option: Advice(option)) }
            throw unusable("cannot be determined: \(String(cString: strerror(errno)))")
        }
        defer { free(path) }
        // Replaced bytes would make it the path of another folder.
        guard let folder = String(validatingCString: path) else {
            throw unusable("has a name that is not UTF-8")
        }
        return folder.asFolderPath + other
    }

    private static func unusable(_ reason: String) -> DownloadError {
        DownloadError(
            .directoryNotUsable,
            "the current folder \(reason)",
            advice: "change to another folder"
        )
    }
}
