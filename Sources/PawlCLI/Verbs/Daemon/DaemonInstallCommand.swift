internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon install`: has the user's systemd listen and start the daemon.
struct DaemonInstallCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install the daemon as a systemd user service.",
        discussion: """
            Writes pawld.socket and pawld.service to $XDG_CONFIG_HOME/systemd/user and enables \
            them. systemd then starts the daemon when a program sends the first request, at login, \
            and after a crash. After 'loginctl enable-linger', it also starts at boot and keeps \
            running after you log out. If a daemon is already running, it is stopped and started \
            again as a service.
            """
    )

    @OptionGroup var options: DaemonOptions

    @Flag(
        name: [.long, .customLong("print")],
        help: "Print the systemd unit files and change nothing."
    )
    var dryRun = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try ChosenDaemon.checkIsOfThisMachine("pawl daemon install")
        try options.prepare(console)
        let surroundings = try ServiceSurroundings.current()
        let units = try ServiceUnits(
            program: try DaemonProgramFile.path(),
            arguments: options.unsavedArguments,
            paths: surroundings.paths,
            environment: surroundings.environment + options.storeOfService()
        )
        let folder = UnitFolder(path: surroundings.unitFolder)
        guard !dryRun else {
            let texts = [
                (ServiceUnits.socketName, units.socket),
                (ServiceUnits.serviceName, units.service),
            ]
            let output = texts.map { "# \(folder.path(of: $0.0))\n\($0.1)" }
                .joined(separator: "\n")
            return {
                console.output(output)
                return 0
            }
        }
        try folder.checkNoForeignUnits()
        let change = try options.settingsChange()
        return try daemonWork(console) { (client) async throws(DownloadError) in
            // systemd does not check the permissions of a folder that exists.
            try client.paths.prepare()
            // As an argument in the unit, it would override later changes at each start.
            if !change.isEmpty { try await client.process.remember(change) }
            let installation = ServiceInstallation(folder: folder, client: client, console: console)
            try await installation.install(units)
            return 0
        }
    }
}
