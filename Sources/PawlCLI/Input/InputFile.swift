internal import Glibc
internal import PawlCore

/// Reads the file of `--input-file`; `-` is standard input.
enum InputFile {
    /// The maximum size, which is larger than any list.
    ///
    /// It limits the memory if the path of a device or an image is given by mistake.
    private static let maximumBytes = 64 << 20

    static func read(_ path: String) throws(DownloadError) -> InputList {
        guard path != "-" else {
            return try list(try contents(STDIN_FILENO, name: "standard input"), "standard input")
        }
        try OutputPath.checkReadable(path, location: "--input-file")
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        return try list(try contents(file, name: path), path)
    }

    private static func list(_ bytes: [UInt8], _ name: String) throws(DownloadError) -> InputList {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(name) is not text in UTF-8", advice: "use a list of URLs, one per line")
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
        throw .usage(
            "\(name) is longer than \(ByteText.size(Int64(maximumBytes)))",
            advice: "use a list of URLs, one per line"
        )
    }

    private static func unreadable(_ name: String) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "\(name) cannot be read: \(String(cString: strerror(errno)))",
            advice: "check the name and the permissions of the file"
        )
    }
}
