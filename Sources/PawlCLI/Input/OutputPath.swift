internal import Glibc
package import PawlCore

/// Checks the paths of options.
///
/// Changes nothing.
package enum OutputPath {
    /// The path that stands for standard output.
    static let standardOutput = "-"

    package static func checkFile(_ path: String, location: String) throws(DownloadError) {
        try checkText(path, location: location)
        let name = path.pathFile
        guard !name.isEmpty, name != ".", name != ".." else {
            throw .usage(
                "\(location): '\(path)' names a folder",
                advice: "use --directory for a folder, and --output for a file"
            )
        }
        guard name.utf8.count <= 255 else {
            throw DownloadError(
                .fileNotCreatable,
                "\(location): the file name has \(name.utf8.count) bytes, more than 255",
                advice: "use a shorter name"
            )
        }
    }

    /// `output`, relative to `directory` if there is one.
    ///
    /// `isForRemoteDaemon`: whether a daemon over TCP saves the file, whose folders are not known.
    package static func joined(
        output: String,
        directory: String?,
        isForRemoteDaemon: Bool = false
    ) throws(DownloadError) -> String {
        guard let directory else {
            if !isForRemoteDaemon { try checkIsNotDirectory(output, location: "--output") }
            return output
        }
        guard !output.isAbsolutePath else {
            throw .usage(
                "--directory cannot be combined with the absolute --output '\(output)'",
                advice: "remove one of them, or use a relative --output"
            )
        }
        let path = directory.asFolderPath + output
        if !isForRemoteDaemon { try checkIsNotDirectory(path, location: "--output") }
        return path
    }

    package static func checkDirectory(_ path: String, location: String) throws(DownloadError) {
        try checkText(path, location: location)
        let mode = fileMode(path)
        guard mode == nil || mode == S_IFDIR else {
            throw DownloadError(
                .directoryNotUsable,
                "\(location): '\(path)' is not a folder",
                advice: "give a folder, or use --output for a file"
            )
        }
        guard mode == nil || access(path, W_OK | X_OK) == 0 else {
            throw DownloadError(
                .directoryNotUsable,
                "\(location): the folder '\(path)' is not writable",
                advice: adviceForUnwritableFolder(errno)
            )
        }
    }

    private static func adviceForUnwritableFolder(_ errno: Int32) -> Advice {
        switch errno {
        case EROFS: "the file system is read-only; use another folder"
        // Even root must not write in it (chattr(1)).
        case EPERM: "it is immutable; allow changes with 'chattr -i', or use another folder"
        default: "change its permissions or use another folder"
        }
    }

    package static func checkReadable(_ path: String, location: String) throws(DownloadError) {
        try checkText(path, location: location)
        let isReadable = access(path, R_OK) == 0
        guard isReadable, fileMode(path) != S_IFDIR else {
            let reason = isReadable ? "it is a folder" : String(cString: strerror(errno))
            throw DownloadError(
                .fileUnreadable,
                "\(location): '\(path)' cannot be read: \(reason)",
                advice: "check the name and the permissions of the file"
            )
        }
    }

    static func isRegularFile(_ path: String) -> Bool { fileMode(path) == S_IFREG }

    static func isPipe(_ path: String) -> Bool { fileMode(path) == S_IFIFO }

    private static func checkIsNotDirectory(
        _ path: String,
        location: String
    ) throws(DownloadError) {
        guard fileMode(path) == S_IFDIR else { return }
        throw .usage(
            "\(location): '\(path)' is a folder",
            advice: "use --directory for a folder, and --output for a file"
        )
    }

    /// The kernel ends a path at a NUL.
    private static func checkText(_ path: String, location: String) throws(DownloadError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .usage(
                "\(location): the path is empty or contains a NUL byte",
                advice: "use a valid path"
            )
        }
    }

    /// The type of the file; `nil` if it does not exist or is not visible.
    private static func fileMode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
