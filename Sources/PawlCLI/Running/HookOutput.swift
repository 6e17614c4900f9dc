internal import Glibc
internal import PawlCore

/// What a program prints, in a file without a name: processes that it leaves running may print
/// more.
struct HookOutput: ~Copyable {
    /// The file, or standard error if no file can be created.
    let descriptor: Int32

    /// The maximum number of bytes that are shown.
    private static let mostBytes = 64 << 10

    init(folder: String) {
        var path = (folder.asFolderPath + "pawl-hook-XXXXXX").utf8CString.map { $0 }
        let file = mkstemp(&path)
        if file >= 0 {
            unlink(path)
            _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        }
        descriptor = file >= 0 ? file : STDERR_FILENO
    }

    deinit { if descriptor != STDERR_FILENO { close(descriptor) } }

    /// The first lines that were printed.
    var lines: [String] {
        guard descriptor != STDERR_FILENO else { return [] }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .split(whereSeparator: \.isNewline).map { String($0).sanitized }
    }
}
