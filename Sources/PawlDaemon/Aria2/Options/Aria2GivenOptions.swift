internal import PawlCore
internal import PawlWire

/// The options that a client gives for a download.
struct Aria2GivenOptions: Sendable {
    /// The values by name; only `header` may have several.
    private let values: [String: [String]]

    private static let signIns = [("http-user", "http-passwd"), ("ftp-user", "ftp-passwd")]

    init(_ members: [JSONValue.Member]) {
        var values: [String: [String]] = [:]
        for member in members {
            switch member.value {
            case .text(let text): values[member.name] = [text]
            // In aria2 a text may have several header fields, one per line.
            case .list(let items): values[member.name] = items.compactMap(\.text)
            // aria2 ignores values of other kinds.
            default: break
            }
        }
        if let lines = values["header"] {
            values["header"] = lines.flatMap { line in
                line.split(whereSeparator: \.isNewline).map(String.init)
            }
        }
        self.values = values
    }

    subscript(name: String) -> String? { values[name]?.last }

    var names: Set<String> { Set(values.keys) }

    // MARK: - New downloads

    /// Returns a new download of the first URI; the others are its mirrors.
    ///
    /// `name`: the name of the file, in place of that of the options.
    func download(of uris: [String], named name: String? = nil) throws -> NewDownload {
        guard self["gid"]?.isEmpty ?? true else {
            throw Aria2Error("the option gid is not supported; leave it out, and use the result")
        }
        var new = NewDownload(url: uris[0], destination: destination(name ?? self["out"] ?? ""))
        var settings = try settings()
        if uris.count > 1, let row = DownloadSettings.table[name: "mirror"] {
            for uri in uris.dropFirst() {
                do throws(ValueError) {
                    try settings.parse(uri, of: row)
                } catch {
                    throw Aria2Error("'\(uri.sanitized(atMost: 100))': \(error.reason)")
                }
            }
        }
        if !settings.isEmpty { new.settings = settings }
        if self["pause"] == "true" { new.isPaused = true }
        return new
    }

    /// The path of a file, or of a folder if there is no name; relative to the first allowed folder
    /// if no folder is given.
    private func destination(_ name: String) -> String {
        let name = String(Substring(name.utf8.drop { $0 == UInt8(ascii: "/") }))
        guard let folder = self["dir"], !folder.isEmpty else { return name }
        return folder.asFolderPath + name
    }

    /// Returns the settings of the options.
    func settings() throws -> SettingsDocument<DownloadSettings> {
        var settings = SettingsDocument<DownloadSettings>()
        for option in Aria2Option.all {
            for value in values[option.name] ?? [] {
                guard let row = DownloadSettings.table[name: option.setting],
                    let text = option.text(value)
                else { continue }
                do throws(ValueError) {
                    try settings.parse(text, of: row)
                } catch {
                    throw Aria2Error.option(option.name)
                }
            }
        }
        // A server gets the smaller number of connections, as in aria2.
        let limits = ["split", "max-connection-per-server"].compactMap {
            self[$0].flatMap { Int($0) }
        }
        if let fewest = limits.min() { settings[\.connections] = .fixed(min(max(fewest, 1), 64)) }
        if let policy = existingFilePolicy { settings[\.ifExists] = policy }
        for (user, password) in Self.signIns {
            guard let name = self[user], !name.isEmpty else { continue }
            settings[\.credentials] = Credentials(name: name, password: self[password] ?? "")
        }
        return settings
    }

    private var existingFilePolicy: ExistingFilePolicy? {
        if self["allow-overwrite"] == "true" { return .overwrite }
        return self["auto-file-renaming"] == "false" ? .fail : nil
    }
}
