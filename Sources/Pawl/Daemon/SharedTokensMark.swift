internal import Glibc
package import PawlCore
package import PawlWire

/// The file that exists while the tokens of the daemon are in a database, which only the daemon
/// changes.
package struct SharedTokensMark: Sendable {
    private let path: String

    package init(_ paths: DaemonPaths) { path = "\(paths.storeFolder)/api-tokens.shared" }

    /// Whether the last daemon that was started keeps its tokens in a database.
    package var exists: Bool { access(path, F_OK) == 0 }

    /// Creates the file if it does not exist.
    package func create() throws(DownloadError) {
        let file = PrivateFile(
            path: path,
            what: "the mark that the tokens are in a database",
            advice: "make the folder writable"
        )
        if !exists { try file.write("", .keep) }
    }

    /// Removes the file if it exists.
    package func remove() { unlink(path) }
}
