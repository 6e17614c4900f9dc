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
        try StoreFiles.replace(file, with: new)
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
}
