internal import Glibc
package import PawlCore

/// Looks at the paths that options name, before anything is touched.
package enum OutputPath {
    package static func checkFile(_ path: String, place: String) throws(DownloadError) {
        try checkText(path, place: place)
        if path == "-" {
            throw DownloadError(
                .usage,
                "\(place): Pawl writes files, not to standard output",
                advice: "write ./- for a file of that name"
            )
        }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard !name.isEmpty, name != ".", name != ".." else {
            throw DownloadError(
                .usage,
                "\(place): '\(path)' names a folder",
                advice: "use --directory for a folder, --output for a file"
            )
        }
        guard name.utf8.count <= 255 else {
            throw DownloadError(
                .fileNotCreatable,
                "\(place): a name of \(name.utf8.count) bytes, where 255 is the most",
                advice: "give a shorter name"
            )
        }
    }

    /// `output` below `directory`, where there is one.
    package static func joined(
        output: String,
        directory: String?
    ) throws(DownloadError) -> String {
        guard let directory else {
            try checkIsNoDirectory(output, place: "--output")
            return output
        }
        guard !output.hasPrefix("/") else {
            throw DownloadError(
                .usage,
                "--output '\(output)' is absolute, so --directory has no meaning",
                advice: "leave one of them out, or give a relative --output"
            )
        }
        let path = directory.hasSuffix("/") ? directory + output : "\(directory)/\(output)"
        try checkIsNoDirectory(path, place: "--output")
        return path
    }

    package static func checkDirectory(_ path: String, place: String) throws(DownloadError) {
        try checkText(path, place: place)
        let mode = fileMode(path)
        guard mode == nil || mode == S_IFDIR else {
            throw DownloadError(
                .directoryNotUsable,
                "\(place): '\(path)' is there and is no folder",
                advice: "give a folder, or use --output for a file"
            )
        }
        guard mode == nil || access(path, W_OK | X_OK) == 0 else {
            throw DownloadError(
                .directoryNotUsable,
                "\(place): nothing can be written into '\(path)'",
                advice: errno == EROFS
                    ? "the file system is read-only: give another folder"
                    : "change its permissions or give another folder"
            )
        }
    }

    package static func checkReadable(_ path: String, place: String) throws(DownloadError) {
        try checkText(path, place: place)
        let isReadable = access(path, R_OK) == 0
        guard isReadable, fileMode(path) != S_IFDIR else {
            let reason = isReadable ? "it is a folder" : String(cString: strerror(errno))
            throw DownloadError(
                .fileUnreadable,
                "\(place): '\(path)' cannot be read: \(reason)",
                advice: "give a file that exists and that you may read"
            )
        }
    }

    private static func checkIsNoDirectory(
        _ path: String,
        place: String
    ) throws(DownloadError) {
        guard fileMode(path) == S_IFDIR else { return }
        throw DownloadError(
            .usage,
            "\(place): '\(path)' is a folder",
            advice: "use --directory for a folder, --output for a file"
        )
    }

    /// A NUL would cut the path short for the kernel.
    private static func checkText(_ path: String, place: String) throws(DownloadError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw DownloadError(
                .usage,
                "\(place): the path is empty or holds a NUL",
                advice: "give a path"
            )
        }
    }

    /// The kind of file that is there, nil where there is none that can be seen.
    private static func fileMode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
