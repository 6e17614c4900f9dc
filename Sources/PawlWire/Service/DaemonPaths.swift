package import PawlCore

/// The locations of the daemon's files (XDG Base Directory Specification 0.8).
package struct DaemonPaths: Sendable, Hashable {
    /// The folder of the socket and its lock, which only the user can access.
    package var socketFolder: String
    /// The folder of the store, its lock and the log.
    package var storeFolder: String

    package var socket: String { "\(socketFolder)/daemon.sock" }
    package var store: String { "\(storeFolder)/queue.sqlite" }
    package var log: String { "\(storeFolder)/daemon.log" }
    /// The audit log.
    package var audit: String { "\(storeFolder)/audit.log" }

    /// The maximum length of a socket's path: 108 bytes including the final zero (unix(7)).
    private static let mostSocketBytes = 107

    /// Finds the locations.
    ///
    /// Throws `.directoryNotUsable` if nothing names the user's folders.
    package init(_ surroundings: PlaceSurroundings) throws(DownloadError) {
        let state =
            surroundings.path(in: "XDG_STATE_HOME")
            ?? surroundings.home.map { $0 == "/" ? "/.local/state" : "\($0)/.local/state" }
        guard let state else {
            throw DownloadError(
                .directoryNotUsable,
                "cannot find a folder for the daemon's files: there is no home folder",
                advice: "set HOME or XDG_STATE_HOME"
            )
        }
        storeFolder = "\(state)/pawl"
        socketFolder = surroundings.path(in: "XDG_RUNTIME_DIR").map { "\($0)/pawl" } ?? storeFolder
        guard socket.utf8.count <= Self.mostSocketBytes else {
            throw DownloadError(
                .directoryNotUsable,
                "the path of the daemon's socket is longer than the system allows: \(socket)",
                advice: "set XDG_RUNTIME_DIR to a shorter path"
            )
        }
    }
}
