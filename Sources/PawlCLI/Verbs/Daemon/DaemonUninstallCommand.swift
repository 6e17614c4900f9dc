internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon uninstall`: removes the service; the queue is kept.
struct DaemonUninstallCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove the systemd service; the queue is kept."
    )

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let folder = UnitFolder(path: try ServiceSurroundings.current().unitFolder)
        try folder.checkNoForeignUnits()
        return try ownDaemonWork("pawl daemon uninstall", console) {
            (client) async throws(DownloadError) in
            let installation = ServiceInstallation(folder: folder, client: client, console: console)
            try await installation.uninstall()
            return 0
        }
    }
}
