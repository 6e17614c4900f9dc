internal import Glibc
internal import PawlCore

/// Reads the file that `--input-file` names; `-` is standard input.
enum InputFile {
    /// Far more than anyone's list; keeps a wrong name (a device, an image) from eating memory.
    private static let maximumBytes = 64 << 20

    static func read(_ path: String) throws(DownloadError) -> InputList {
        guard path != "-" else {
            return try list(try contents(STDIN_FILENO, name: "standard input"), "standard input")
        }
        try OutputPath.checkReadable(path, place: "--input-file")
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        return try list(try contents(file, name: path), path)
    }

    private static func list(_ bytes: [UInt8], _ name: String) throws(DownloadError) -> InputList {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw DownloadError(
                .usage,
                "\(name) is not text in UTF-8",
                advice: "give a list of URLs, one a line"
            )
        }
        return try InputList(text, name: name.sanitized)
    }

    private static func contents(_ file: Int32, name: String) throws(DownloadError) -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while all.count <= maximumBytes {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count == 0 { return all }
            if count < 0 {
                if errno == EINTR { continue }
                throw unreadable(name)
            }
            all += chunk[..<count]
        }
        throw DownloadError(
            .usage,
            "\(name) is longer than \(ByteText.size(Int64(maximumBytes)))",
            advice: "give a list of URLs, one a line"
        )
    }

    private static func unreadable(_ name: String) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "\(name) cannot be read: \(String(cString: strerror(errno)))",
            advice: "give a list that exists and that you may read"
        )
    }
}
