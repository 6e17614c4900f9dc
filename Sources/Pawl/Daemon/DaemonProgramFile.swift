internal import Glibc
package import PawlCore

/// Where the daemon's program is: beside the one that runs, or in PATH.
///
/// It is a program of its own, so that what it needs (a database, an HTTP server) costs `pawl` and
/// the library's users neither memory nor time.
package enum DaemonProgramFile {
    package static let name = "pawld"

    /// Throws `.daemonUnavailable` where there is none.
    package static func path() throws(DownloadError) -> String {
        let folders = ([OwnProgram.folder] + searchPath()).compactMap(\.self)
        for folder in folders {
            let path = "\(folder)/\(name)"
            if access(path, X_OK) == 0 { return path }
        }
        throw DownloadError(
            .daemonUnavailable,
            "the daemon's program, \(name), is neither beside this one nor in PATH",
            advice: "install \(name) beside pawl"
        )
    }

    /// Relative parts are left out: whose folder they name changes.
    private static func searchPath() -> [String] {
        guard let path = getenv("PATH") else { return [] }
        return String(cString: path).split(separator: ":").map(String.init)
            .filter { $0.hasPrefix("/") }
    }
}
