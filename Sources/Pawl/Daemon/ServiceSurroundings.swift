package import PawlCore
internal import PawlStorage
package import PawlWire

/// What a service of the user's must know to be the daemon that this process would start.
package struct ServiceSurroundings: Sendable {
    package var places: DaemonPlaces
    /// Where the user's own units lie (systemd.unit(5), *User Unit Search Path*).
    package var unitFolder: String
    /// The variables that say where the daemon's files are, as far as they are set: a service does
    /// not have the shell's.
    package var environment: [(name: String, value: String)]

    /// As the environment says it now.
    package static func current() throws(DownloadError) -> ServiceSurroundings {
        let surroundings = SystemPlaces.surroundings
        let places = try DaemonPlaces(surroundings)
        let home = surroundings.home
        guard
            let configuration = surroundings.path(in: "XDG_CONFIG_HOME")
                ?? home.map({ $0 == "/" ? "/.config" : "\($0)/.config" })
        else {
            throw DownloadError(
                .directoryNotUsable,
                "nothing says where the user's units belong: there is no home folder",
                advice: "set HOME or XDG_CONFIG_HOME"
            )
        }
        return ServiceSurroundings(
            places: places,
            unitFolder: "\(configuration)/systemd/user",
            environment: ["XDG_RUNTIME_DIR", "XDG_STATE_HOME"].compactMap { name in
                surroundings.path(in: name).map { (name, $0) }
            }
        )
    }
}
