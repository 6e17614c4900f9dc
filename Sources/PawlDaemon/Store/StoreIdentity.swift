internal import Glibc
package import PawlCore

/// A random text that identifies a queue.
///
/// The checkpoints of its downloads contain it, so that they can be found if the queue is damaged.
package enum StoreIdentity {
    private static let length = 32

    /// Returns the identity of the queue; `nil` if only an earlier version has used the queue.
    package static func known(beside path: String) -> String? {
        read(StoreFiles.identity(of: path))
    }

    /// Returns the identity of the queue; creates it if there is none.
    package static func make(beside path: String) throws(DownloadError) -> String {
        let file = StoreFiles.identity(of: path)
        if let known = read(file) { return known }
        let new = (0..<4).map { _ in UInt32.random(in: .min ... .max).hexadecimal }.joined()
        try write(new, to: file)
        return new
    }

    private static func read(_ file: String) -> String? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: length)
        guard Glibc.read(descriptor, &bytes, length) == length else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.allSatisfy(\.isHexDigit) ? text : nil
    }

    private static func write(_ text: String, to file: String) throws(DownloadError) {
        let draft = "\(file).new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(file) }
        let bytes = Array(text.utf8)
        let isWritten =
            Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(draft, file) == 0 else { throw failure(file) }
        StoreFiles.syncFolder(of: file)
    }

    private static func failure(_ path: String) -> DownloadError {
        let code = errno
        return DownloadError(
            code == ENOSPC || code == EDQUOT ? .diskFull : .diskFailure,
            "\(path) cannot be written: \(String(cString: strerror(code)))",
            advice: "check the free space and the permissions of its folder"
        )
    }
}
