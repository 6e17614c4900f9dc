internal import class FoundationEssentials.ProcessInfo
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Installs and uninstalls the daemon as a service of the user's systemd.
struct ServiceInstallation {
    private let folder: UnitFolder
    private let client: DaemonClient
    private let console: Console

    init(folder: UnitFolder, client: DaemonClient, console: Console) {
        (self.folder, self.client, self.console) = (folder, client, console)
    }

    private static let units = [ServiceUnits.socketName, ServiceUnits.serviceName]

    // MARK: - Installing

    /// Writes the units and has systemd listen.
    ///
    /// A second installation changes nothing.
    func install(_ units: ServiceUnits) async throws(DownloadError) {
        let isNew = !folder.holds(units)
        if isNew { try folder.write(units) }
        console.message(
            "\(isNew ? "Written" : "Already installed"): \(folder.path)/pawld.{socket,service}"
        )
        let reload = Systemctl.run(["daemon-reload"])
        guard reload.isSuccess else {
            explain(reload.line, ["daemon-reload"], ["enable", "--now", ServiceUnits.socketName])
            return
        }
        let isRunning = client.process.isRunning
        // A daemon that systemd has started with the same units keeps running. Any other one
        // occupies the socket's path.
        let isService = !isNew && Systemctl.run(["is-active", "--quiet", Self.units[1]]).isSuccess
        if isRunning, !isService { try await client.process.stop() }
        try run(["enable"] + Self.units)
        // Only a restart makes a socket unit that already listens use the new path.
        try run([isNew ? "restart" : "start", ServiceUnits.socketName])
        if isRunning, !isService { try run(["start", "--no-block", ServiceUnits.serviceName]) }
        console.message(
            """
            systemd listens at \(client.paths.socket). It starts the daemon when a program sends the \
            first request, and when you log in.
            """
        )
        if Self.lingers {
            console.message(
                "Lingering is enabled: the daemon starts at boot and keeps running after you log out."
            )
        } else {
            console.message(
                """
                The daemon stops when you log out. To start it at boot and keep it running, run: \
                loginctl enable-linger
                """
            )
        }
    }

    // MARK: - Uninstalling

    /// Removes the units that `install` has written.
    ///
    /// The queue is kept.
    func uninstall() async throws(DownloadError) {
        guard folder.hasUnits else {
            console.message("Nothing to remove: \(folder.path) contains no unit files of pawl.")
            return
        }
        let disable = Systemctl.run(["disable", "--now"] + Self.units)
        try folder.removeUnits()
        console.message("Removed: \(folder.path)/pawld.{socket,service}")
        let reload = Systemctl.run(["daemon-reload"])
        guard disable.isSuccess, reload.isSuccess else {
            let reason = disable.isSuccess ? reload.line : disable.line
            explain(reason, ["stop"] + Self.units, ["daemon-reload"])
            return
        }
        console.message("The service is removed. The queue is kept; 'pawl add' starts the daemon.")
        if Self.lingers {
            console.message(
                "If none of your other services needs lingering, run: loginctl disable-linger"
            )
        }
    }

    // MARK: - systemd

    private func run(_ words: [String]) throws(DownloadError) {
        let result = Systemctl.run(words)
        guard !result.isSuccess else { return }
        throw DownloadError(
            .daemonUnavailable,
            result.line,
            advice: "the unit files were written; see 'systemctl --user status pawld.socket'",
            context: Systemctl.text(words)
        )
    }

    /// Prints the commands to run later if no systemd is available, as in a container or after
    /// `su`.
    private func explain(_ reason: String, _ commands: [String]...) {
        console.message("systemd's user instance is not available here (\(reason)).")
        console.message("Run these commands in a login session where it is available:")
        for words in commands { console.message("  \(Systemctl.text(words))") }
        guard commands.first == ["daemon-reload"] else { return }
        console.message("  \(Systemctl.text(["enable", ServiceUnits.serviceName]))")
        console.message("To start the daemon at boot, also run:")
        console.message("  loginctl enable-linger")
    }

    /// Whether lingering is enabled: logind keeps a file for each such user.
    private static var lingers: Bool {
        access("/var/lib/systemd/linger/\(ProcessInfo.processInfo.userName)", F_OK) == 0
    }
}
