package import PawlCore
internal import PawlStorage
package import PawlWire

/// The values that a user's service needs to be the same daemon that this process would start.
package struct ServiceSurroundings: Sendable {
    package var paths: DaemonPaths
    /// The path of this program; `nil` if the system does not report it.
    package var program: String?
    /// The folder of the user's own units (systemd.unit(5), *User Unit Search Path*).
    package var unitFolder: String
    /// The environment variables that determine where the daemon's files are, if they are set: a
    /// service does not have the shell's variables.
    package var environment: [(name: String, value: String)]

    /// Returns the values according to the current environment.
    package static func current() throws(DownloadError) -> ServiceSurroundings {
        let surroundings = try SystemPlaces.surroundings()
        let paths = try DaemonPaths(surroundings)
        let home = surroundings.home
        guard
            let configuration = surroundings.path(in: "XDG_CONFIG_HOME")
                ?? home.map({ $0 == "/" ? "/.config" : "\($0)/.config" })
        else {
            throw DownloadError(
                .directoryNotUsable,
                "cannot find the folder for the user's units: there is no home folder",
                advice: "set HOME or XDG_CONFIG_HOME"
            )
        }
        return ServiceSurroundings(
            paths: paths,
            program: surroundings.program,
            unitFolder: "\(configuration)/systemd/user",
            environment: ["XDG_RUNTIME_DIR", "XDG_STATE_HOME"].compactMap { name in
                surroundings.path(in: name).map { (name, $0) }
            }
        )
    }
}
