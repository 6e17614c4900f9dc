internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Carries out what the command line of aria2 asks for, before the daemon answers.
///
/// The command line is that of the user, so it has the rights of the user.
struct Aria2LaunchWork {
    let launch: Aria2Launch
    let queue: DaemonQueue
    let logger: Logger

    /// The options of the command line that are settings of the daemon.
    private static let settings = Aria2Option.ofDaemon.merging(["dir": "folder"]) { own, _ in own }

    func run() async {
        for (name, setting) in Self.settings.sorted(by: { $0.key < $1.key }) {
            await set(name, setting)
        }
        for download in launch.downloads where !download.uris.isEmpty { await add(download) }
    }

    private func set(_ name: String, _ setting: String) async {
        guard let option = launch.options.last(where: { $0.name == name }),
            let row = DaemonSettings.table[name: setting]
        else { return }
        do {
            var change = DaemonSettingsChange()
            try change.parse(option.value, of: row)
            _ = try await queue.change(change, by: .user)
        } catch {
            logger.warning("the option \(name) has no effect: \(Aria2Error.of(error).message)")
        }
    }

    /// Adds a download, unless one with its GID is in the queue since an earlier start.
    private func add(_ download: Aria2Launch.Download) async {
        let common = Aria2GivenOptions(launch.options)
        let options = Aria2GivenOptions(download.options).completed(by: common)
        do {
            let gid = try options.gid()
            if let gid, try await isKnown(gid) { return }
            let new = try options.download(of: download.uris)
            _ = try await queue.add([new], key: nil, gid: gid, by: .user)
        } catch {
            let name = AddressParts(download.uris.first ?? "").redacted.sanitized(atMost: 200)
            logger.warning("\(name) was not added: \(Aria2Error.of(error).message)")
        }
    }

    private func isKnown(_ gid: String) async throws -> Bool {
        guard let id = queue.gids.id(of: gid) else { return false }
        return try await queue.store.read { try $0.downloads.find(id) } != nil
    }
}

extension Aria2Launch {
    /// What ends the daemon that the command line has started.
    var stopConditions: [StopCondition] {
        StopCondition.all(process: stopProcess, seconds: stopSeconds)
    }
}
