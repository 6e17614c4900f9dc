internal import Glibc
internal import PawlCore

/// A small file of the user's configuration that is replaced as a whole.
struct UserFile {
    let path: String

    private static let mostBytes = 64 << 10

    /// Whether something has this name, even if it is a link that leads nowhere.
    var exists: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The beginning of the file; `nil` if it is not a readable file of text.
    var text: String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(validating: bytes.prefix(count), as: UTF8.self)
    }

    /// Writes the file under another name first, so that no program reads an incomplete one.
    ///
    /// Folders that are missing are created.
    func write(_ text: String, mode: mode_t) throws(DownloadError) {
        try makeFolder()
        let new = "\(path).new"
        unlink(new)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let file = open(new, flags, mode)
        guard file >= 0 else { throw failure(.fileNotCreatable, "cannot be created", new) }
        let bytes = Array(text.utf8)
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count
        guard close(file) == 0, isWritten, rename(new, path) == 0 else {
            let error = failure(.fileNotCreatable, "cannot be written", path)
            unlink(new)
            throw error
        }
    }

    /// Removes the file; returns whether it existed.
    func remove() throws(DownloadError) -> Bool {
        guard unlink(path) != 0 else { return true }
        guard errno == ENOENT || errno == ENOTDIR else {
            throw failure(.fileNotCreatable, "cannot be removed", path)
        }
        return false
    }

    private func makeFolder() throws(DownloadError) {
        var folder = ""
        for part in path.pathFolder.pathNames {
            folder += "/\(part)"
            guard mkdir(folder, 0o755) == 0 || errno == EEXIST || errno == EROFS else {
                throw failure(.directoryNotUsable, "cannot be created", folder)
            }
        }
    }

    private func failure(_ code: ErrorCode, _ what: String, _ path: String) -> DownloadError {
        let reason = String(cString: strerror(errno))
        return DownloadError(
            code,
            "\(path) \(what): \(reason)",
            advice: "check the permissions of the folder"
        )
    }
}
