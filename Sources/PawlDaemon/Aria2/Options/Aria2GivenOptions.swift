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

    /// Options of a command line; only `header` may be given several times.
    init(_ options: [Aria2Launch.Option]) {
        var values: [String: [String]] = [:]
        for option in options {
            values[option.name] =
                (option.name == "header" ? values[option.name] ?? [] : []) + [option.value]
        }
        self.values = values
    }

    private init(values: [String: [String]]) { self.values = values }

    /// Returns the options together with those of a command line that are not given again.
    ///
    /// Those of one file apply to no other one.
    func completed(by defaults: Aria2GivenOptions) -> Aria2GivenOptions {
        let common = defaults.values.filter { !Self.ofOneFile.contains($0.key) }
        return Aria2GivenOptions(values: common.merging(values) { _, own in own })
    }

    private static let ofOneFile: Set = ["out", "gid", "checksum"]

    /// Returns the options without those that only the user may give.
    var withoutFiles: Aria2GivenOptions {
        Aria2GivenOptions(values: values.filter { !Aria2Option.ofFiles.contains($0.key) })
    }

    subscript(name: String) -> String? { values[name]?.last }

    var names: Set<String> { Set(values.keys) }

    // MARK: - New downloads

    /// The GID that the client has chosen; `nil` if it has chosen none.
    func gid() throws(Aria2Error) -> String? {
        guard let text = self["gid"] else { return nil }
        if let gid = Aria2GIDs.normalized(text) { return gid }
        throw Aria2Error("\(text.sanitized(atMost: 40)) is invalid for GID.")
    }

    /// Returns a new download of the first URI; the others are its mirrors.
    ///
    /// `name`: the name of the file, in place of that of the options.
    func download(of uris: [String], named name: String? = nil) throws -> NewDownload {
        // A client that asks for this must not get the file.
        guard ["false", nil].contains(self["dry-run"]) else {
            throw Aria2Error("dry-run is not available: Pawl would download the file")
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
        // A name is not percent-encoded, and a URL is.
        if ObjectAddress.isOne(folder) {
            return folder.asFolderPath + name.utf8.percentEncoded(except: "/")
        }
        return folder.asFolderPath + name
    }

    /// Returns the settings of the options.
    ///
    /// `credentials`: those that a name or a password without the other completes.
    func settings(
        completing credentials: Credentials? = nil
    ) throws -> SettingsDocument<DownloadSettings> {
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
        for (user, password) in Self.signIns where self[user] != nil || self[password] != nil {
            // Without a name, aria2 sends no password, either.
            let name = self[user] ?? credentials?.name ?? ""
            guard !name.isEmpty else { continue }
            settings[\.credentials] = Credentials(
                name: name,
                password: self[password] ?? credentials?.password ?? ""
            )
        }
        return settings
    }

    private var existingFilePolicy: ExistingFilePolicy? {
        if self["allow-overwrite"] == "true" { return .overwrite }
        return self["auto-file-renaming"] == "false" ? .fail : nil
    }
}
