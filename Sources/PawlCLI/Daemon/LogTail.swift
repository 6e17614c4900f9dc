internal import Glibc
internal import PawlCore

/// Reads the end of one of the daemon's logs.
enum LogTail {
    private static let maximumBytes = 4 << 20

    /// Throws `.fileUnreadable`.
    static func read(_ path: String) throws(DownloadError) -> String {
        guard let file = fopen(path, "re") else {
            throw DownloadError(
                .fileUnreadable,
                "the log cannot be read: \(String(cString: strerror(errno)))",
                advice: "a daemon in the foreground writes its log to the terminal",
                context: "opening \(path)"
            )
        }
        defer { fclose(file) }
        if fseek(file, -maximumBytes, SEEK_END) != 0 { rewind(file) }
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
