internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Gives the daemon to the user's systemd, and takes it back.
struct ServiceInstallation {
    let folder: UnitFolder
    let client: DaemonClient
    let console: Console

    private static let units = [ServiceUnits.socketName, ServiceUnits.serviceName]

    // MARK: - There

    /// Writes the units and has systemd listen; a second time it changes nothing.
    func install(_ units: ServiceUnits) async throws(DownloadError) {
        let isNew = !folder.holds(units)
        if isNew { try folder.write(units) }
        console.message(
            "\(isNew ? "Written" : "There already"): \(folder.path)/pawld.{socket,service}"
        )
        let reload = Systemctl.ask(["daemon-reload"])
        guard reload.isSuccess else {
            explain(reload.line, ["daemon-reload"], ["enable", "--now", ServiceUnits.socketName])
            return
        }
        let isRunning = client.isRunning
        // One that systemd has started with the same units goes on; another has the socket's place.
        let isOurs = !isNew && Systemctl.ask(["is-active", "--quiet", Self.units[1]]).isSuccess
        if isRunning, !isOurs { try await client.stopDaemon() }
        try carryOut(["enable"] + Self.units)
        // Where another unit listens already, it takes the new path only so.
        try carryOut([isNew ? "restart" : "start", ServiceUnits.socketName])
        if isRunning, !isOurs { try carryOut(["start", "--no-block", ServiceUnits.serviceName]) }
        console.message(
            """
            systemd listens at \(client.places.socket): it starts the daemon when somebody asks it \
            something, and when you log in.
            """
        )
        if Self.lingers {
            console.message("As lingering is on, it runs from boot on, whether you log in or not.")
        } else {
            console.message(
                """
                It ends when you log out. To have it run from boot on, whether you are logged in or \
                not: loginctl enable-linger
                """
            )
        }
    }

    // MARK: - And back

    /// Removes what `install` wrote; the queue stays.
    func uninstall() async throws(DownloadError) {
        guard folder.hasUnits else {
            console.message("Nothing to remove: \(folder.path) holds no unit of pawl's.")
            return
        }
        let disable = Systemctl.ask(["disable", "--now"] + Self.units)
        try folder.removeUnits()
        console.message("Removed: \(folder.path)/pawld.{socket,service}")
        let reload = Systemctl.ask(["daemon-reload"])
        guard disable.isSuccess, reload.isSuccess else {
            let reason = disable.isSuccess ? reload.line : disable.line
            explain(reason, ["stop"] + Self.units, ["daemon-reload"])
            return
        }
        console.message("The daemon is systemd's no more. The queue stays; pawl add starts it.")
        if Self.lingers {
            console.message(
                "If nothing else of yours is to run from boot on: loginctl disable-linger"
            )
        }
    }

    // MARK: - systemd

    private func carryOut(_ words: [String]) throws(DownloadError) {
        let answer = Systemctl.ask(words)
        guard !answer.isSuccess else { return }
        throw DownloadError(
            .daemonUnavailable,
            answer.line,
            advice: "the units are written; look at: systemctl --user status pawld.socket",
            context: Systemctl.text(words)
        )
    }

    /// What to do where no manager answers, as in a container or after `su`.
    private func explain(_ reason: String, _ commands: [String]...) {
        console.message("No systemd of this user answers here (\(reason)).")
        console.message("In a session of yours where one does, write:")
        for words in commands { console.message("  \(Systemctl.text(words))") }
        guard commands.first == ["daemon-reload"] else { return }
        console.message("  \(Systemctl.text(["enable", ServiceUnits.serviceName]))")
        console.message("and, to have it run from boot on without a login:")
        console.message("  loginctl enable-linger")
    }

    /// logind keeps a file for each user who lingers.
    private static var lingers: Bool {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var texts = [CChar](repeating: 0, count: 16 * 1024)
        return texts.withUnsafeMutableBufferPointer { texts in
            guard let start = texts.baseAddress,
                getpwuid_r(getuid(), &entry, start, texts.count, &found) == 0, found != nil,
                let name = entry.pw_name
            else { return false }
            return access("/var/lib/systemd/linger/\(String(cString: name))", F_OK) == 0
        }
    }
}
