internal import Glibc
package import PawlCore
internal import PawlStorage

/// Finds the daemon's program, beside the running one or in PATH.
///
/// It is a separate program, so that its parts (a database, an HTTP server) cost `pawl` and the
/// library's users neither memory nor time.
package enum DaemonProgramFile {
    package static let name = "pawld"

    /// Returns its path.
    ///
    /// Throws `.daemonUnavailable` if there is none.
    package static func path() throws(DownloadError) -> String {
        let folders = ([OwnProgram.folder] + searchPath()).compactMap(\.self)
        for folder in folders {
            let path = "\(folder)/\(name)"
            if access(path, X_OK) == 0 { return path }
        }
        throw DownloadError(
            .daemonUnavailable,
            "the daemon's program, \(name), is neither in the folder of this program nor in PATH",
            advice: "install \(name) in the folder of this program, or in a folder of PATH"
        )
    }

    /// Returns the folders in PATH.
    ///
    /// Relative ones are left out, because the folder that they name changes.
    private static func searchPath() -> [String] {
        guard let path = getenv("PATH") else { return [] }
        return String(cString: path).split(separator: ":").map(String.init)
            .filter(\.isAbsolutePath)
    }
}
