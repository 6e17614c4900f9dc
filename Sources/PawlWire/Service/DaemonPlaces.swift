package import PawlCore

/// Where the daemon's files lie (XDG Base Directory Specification 0.8).
package struct DaemonPlaces: Sendable, Hashable {
    /// The folder of the socket and its lock: the user's alone.
    package var socketFolder: String
    /// The folder of the store, its lock and the log.
    package var storeFolder: String

    package var socket: String { "\(socketFolder)/daemon.sock" }
    package var store: String { "\(storeFolder)/queue.sqlite" }
    package var log: String { "\(storeFolder)/daemon.log" }

    /// A socket's path has 108 bytes with the zero behind it (unix(7)).
    private static let mostSocketBytes = 107

    /// Throws `.directoryNotUsable` where nothing says where the user's files are.
    package init(_ surroundings: PlaceSurroundings) throws(DownloadError) {
        let state =
            surroundings.path(in: "XDG_STATE_HOME")
            ?? surroundings.home.map { $0 == "/" ? "/.local/state" : "\($0)/.local/state" }
        guard let state else {
            throw DownloadError(
                .directoryNotUsable,
                "nothing says where the daemon's files belong: there is no home folder",
                advice: "set HOME or XDG_STATE_HOME"
            )
        }
        storeFolder = "\(state)/pawl"
        socketFolder = surroundings.path(in: "XDG_RUNTIME_DIR").map { "\($0)/pawl" } ?? storeFolder
        guard socket.utf8.count <= Self.mostSocketBytes else {
            throw DownloadError(
                .directoryNotUsable,
                "the path of the daemon's socket is longer than the system allows: \(socket)",
                advice: "set XDG_RUNTIME_DIR to a shorter one"
            )
        }
    }
}
