internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

extension DaemonCommand {
    /// `pawl daemon install`: systemd listens, and starts the daemon.
    struct Install: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "install",
            abstract: "Have the user's systemd listen and start the daemon.",
            discussion: """
                Writes pawld.socket and pawld.service to $XDG_CONFIG_HOME/systemd/user and enables \
                them. systemd then starts the daemon when somebody asks it something, at login, and \
                again should it crash; with 'loginctl enable-linger' from boot on, whether you are \
                logged in or not. A daemon that runs is ended and goes on as a service.
                """
        )

        @OptionGroup var options: DaemonOptions

        @Flag(name: [.long, .customLong("print")], help: "Show the units; change nothing.")
        var dryRun = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            try options.check()
            let surroundings = try ServiceSurroundings.current()
            let units = try ServiceUnits(
                program: try DaemonProgramFile.path(),
                arguments: options.processWords,
                places: surroundings.places,
                environment: surroundings.environment
            )
            let folder = UnitFolder(path: surroundings.unitFolder)
            guard !dryRun else {
                let texts = [
                    (ServiceUnits.socketName, units.socket),
                    (ServiceUnits.serviceName, units.service),
                ]
                let shown = texts.map { "# \(folder.path(of: $0.0))\n\($0.1)" }
                return {
                    console.output(shown.joined(separator: "\n"))
                    return 0
                }
            }
            try folder.checkNothingOfOthers()
            let change = DaemonSettingsChange(listen: try options.listenChoice())
            return try daemonWork(console) { (client) async throws(DownloadError) in
                // systemd makes no folder that is too open, but it takes one.
                try client.places.prepare()
                // In the unit it would undo what is set later, at each start.
                if let change { try await client.remember(change) }
                let work = ServiceInstallation(folder: folder, client: client, console: console)
                try await work.install(units)
                return 0
            }
        }
    }

    /// `pawl daemon uninstall`: the queue stays.
    struct Uninstall: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "uninstall",
            abstract: "Take the daemon back from systemd; the queue stays."
        )

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let folder = UnitFolder(path: try ServiceSurroundings.current().unitFolder)
            try folder.checkNothingOfOthers()
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let work = ServiceInstallation(folder: folder, client: client, console: console)
                try await work.uninstall()
                return 0
            }
        }
    }
}
