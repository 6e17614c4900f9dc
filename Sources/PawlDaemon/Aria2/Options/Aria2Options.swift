internal import PawlCore
internal import PawlWire

/// The methods that show and change options.
enum Aria2Options {
    // MARK: - One download

    static func show(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        let request = try await call.request(of: download)
        var members = values(of: (request?.settings ?? SettingsDocument()).withoutSecrets)
        let path = download.path ?? download.destination
        members.append(("dir", .text(folder(path))))
        if !path.isFolderPath { members.append(("out", .text(String(path.pathFile)))) }
        return sorted(members)
    }

    /// Changes what can change after a download was added.
    static func change(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        let options = Aria2GivenOptions(try call.parameters.requiredOptions(1))
        guard !download.state.isEnd else {
            throw Aria2Error("Cannot change option for GID#\(call.gid(download))")
        }
        let request = try await call.request(of: download)
        let credentials = request?.settings?[\.credentials] ?? nil
        let settings = try options.settings(completing: credentials)
        var changes = DownloadChanges()
        changes.settings = settings.keeping(\.isChangeable)
        guard changes.settings == settings, options["dir"] == nil else {
            throw Aria2Error(
                "of these options, only some can change after a download was added: "
                    + changeableNames.joined(separator: ", ")
            )
        }
        if let name = options["out"] { changes.name = name }
        if !changes.isEmpty { try await call.change(download, changes) }
        return Aria2Method.ok
    }

    private static let changeableNames =
        Aria2Option.all.filter { DownloadSettings.table[name: $0.setting]?.isChangeable == true }
        .map(\.name) + ["http-user", "http-passwd", "out"]

    // MARK: - All downloads

    static func showGlobal(_ call: Aria2Call) async throws -> JSONValue {
        let settings = await call.queue.shownSettings(to: call.authority)
        // Those of the command line apply to each new download.
        let given = Aria2GivenOptions([JSONValue.Member]()).completed(by: call.service.defaults)
        var members = values(of: try given.settings().withoutSecrets)
        let folder = (settings.allowedFolders ?? []).first { !ObjectAddress.isOne($0) } ?? ""
        members.append(("dir", .text(folder)))
        members.append(
            ("max-concurrent-downloads", .text("\(settings.maximumConcurrentDownloads)"))
        )
        let limit = settings.limitBytesPerSecond ?? 0
        members.append(("max-overall-download-limit", .text("\(limit)")))
        return sorted(members)
    }

    static func changeGlobal(_ call: Aria2Call) async throws -> JSONValue {
        let options = Aria2GivenOptions(try call.parameters.requiredOptions(0))
        var change = DaemonSettingsChange()
        for (name, setting) in Aria2Option.ofDaemon.sorted(by: { $0.key < $1.key }) {
            guard let text = options[name], let row = DaemonSettings.table[name: setting] else {
                continue
            }
            do throws(ValueError) {
                try change.parse(text, of: row)
            } catch {
                throw Aria2Error.option(name)
            }
        }
        // A change that has no effect must not seem to have one.
        let known = Set(Aria2Option.all.map(\.name)).union(["dir"])
        if let name = options.names.intersection(known).min() {
            throw Aria2Error("the option \(name) can be given for a download only")
        }
        if !change.isEmpty { _ = try await call.queue.change(change, by: call.authority) }
        return Aria2Method.ok
    }

    // MARK: - Values

    /// Options that are the same for each download: what Pawl always does.
    private static let constants: [(String, JSONValue)] = [
        ("continue", "true"), ("follow-metalink", "true"), ("follow-torrent", "false"),
        ("max-upload-limit", "0"), ("pause", "false"),
    ]

    /// Returns the values of the options for settings, with their defaults.
    private static func values(
        of document: SettingsDocument<DownloadSettings>
    ) -> [(String, JSONValue)] {
        let settings = document.validSettings
        var members = constants
        for option in Aria2Option.all {
            guard let row = DownloadSettings.table[name: option.setting],
                let text = option.value(row.encode(settings))
            else { continue }
            members.append((option.name, .text(text)))
        }
        members.append(("allow-overwrite", .text("\(settings.ifExists == .overwrite)")))
        members.append(("auto-file-renaming", .text("\(settings.ifExists == .rename)")))
        return members
    }

    private static func sorted(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.sorted { $0.0 < $1.0 })
    }

    private static func folder(_ path: String) -> String {
        let folder = path.pathFolder
        return folder.utf8.count > 1 ? String(folder.dropLast()) : folder
    }
}
