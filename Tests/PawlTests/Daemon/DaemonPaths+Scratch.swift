import Glibc
import Pawl
import PawlCore
import PawlTesting
import PawlWire

extension DaemonPaths {
    /// The paths of a daemon that has its files in a scratch folder.
    static func scratch(in folder: ScratchFolder) throws -> DaemonPaths {
        try DaemonPaths(
            PlaceSurroundings(
                variables: [
                    "XDG_RUNTIME_DIR": folder.path("run"), "XDG_STATE_HOME": folder.path("state"),
                ],
                homeOfUser: folder.path,
                user: getuid()
            )
        )
    }

    /// The same, with a socket folder that a client accepts.
    static func prepared(in folder: ScratchFolder) throws -> DaemonPaths {
        let paths = try scratch(in: folder)
        try folder.makeFolder("run")
        try paths.prepare()
        return paths
    }
}
