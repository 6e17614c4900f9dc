internal import Glibc
internal import PawlCore

/// What a process may know of its user's accounts: environment variables and files.
package struct S3Surroundings: Sendable {
    /// Returns the value of an environment variable; `nil` if it is not set.
    package var variable: @Sendable (String) -> String?
    /// Returns the text of a file; `nil` if it cannot be read.
    package var file: @Sendable (_ path: String) -> String?

    package init(
        variable: @escaping @Sendable (String) -> String?,
        file: @escaping @Sendable (_ path: String) -> String?
    ) {
        (self.variable, self.file) = (variable, file)
    }

    /// Those of this process.
    package static let ofProcess = S3Surroundings(
        variable: { getenv($0).map { String(cString: $0) } },
        file: { path in text(of: path) }
    )

    /// Without variables and files.
    static let empty = S3Surroundings(variable: { _ in nil }, file: { _ in nil })

    /// The value of a variable that is not empty.
    subscript(name: String) -> String? {
        variable(name).map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The files that AWS's tools share.
    var sharedConfig: SharedConfig {
        let home = self["HOME"] ?? ""
        func text(_ name: String, _ usual: String) -> String? {
            let path = self[name] ?? "~/.aws/\(usual)"
            return file(path.hasPrefix("~/") ? home + path.dropFirst() : path)
        }
        return SharedConfig(
            config: text("AWS_CONFIG_FILE", "config"),
            credentials: text("AWS_SHARED_CREDENTIALS_FILE", "credentials")
        )
    }

    private static let mostBytes = 1 << 20

    private static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < mostBytes {
            let count = read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
