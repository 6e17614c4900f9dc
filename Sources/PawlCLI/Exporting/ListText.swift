internal import PawlCore
internal import PawlWire

/// A download as an entry of an input list.
struct ListText {
    private let download: NewDownload
    /// The names of the settings that have no form in a list.
    private(set) var omitted: [String] = []
    private(set) var text = ""

    init(_ download: NewDownload) {
        self.download = download
        append(download.url)
        let place = download.destination
        if place.isFolderPath {
            append(DownloadOptions.directory, place)
        } else {
            append(DownloadOptions.directory, place.pathFolder)
            append(DownloadOptions.output, String(place.pathFile))
        }
        guard let settings = download.settings?.validSettings else { return }
        for setting in DownloadSettings.table.settings where setting.member != nil {
            append(setting, of: settings)
        }
    }

    private mutating func append(_ line: String) { text += line + "\n" }

    private mutating func append(_ name: String, _ value: String) { append("  \(name)=\(value)") }

    private mutating func append(
        _ setting: Setting<DownloadSettings>,
        of settings: DownloadSettings
    ) {
        let value = setting.encode(settings)
        guard !setting.isEqual(settings, DownloadSettings()) else { return }
        let lines = Self.texts(value).first { texts in
            setting.entries.contains(.list) && Self.means(texts, setting, settings)
        }
        guard let lines else { return omitted.append(setting.name) }
        for line in lines { append(setting.name, line) }
    }

    /// Whether these texts, in a list, give the setting its value.
    private static func means(
        _ texts: [String],
        _ setting: Setting<DownloadSettings>,
        _ settings: DownloadSettings
    ) -> Bool {
        var read = DownloadSettings()
        do throws(ValueError) {
            for text in texts {
                guard !text.contains(where: \.isNewline), text.first?.isWhitespace != true else {
                    return false
                }
                try setting.parse(&read, text)
            }
        } catch {
            return false
        }
        return setting.isEqual(read, settings)
    }

    /// The ways in which a value may be written as text.
    private static func texts(_ value: JSONValue) -> [[String]] {
        switch value {
        case .text(let text): [[text]]
        case .number(let number): [["\(number)"]]
        case .decimal(let number): [["\(number)"]]
        case .truth: [["true"], ["false"]]
        case .null: []
        case .list(let items): [items.compactMap { texts($0).first?.first }]
        case .members: [pair(value)].compactMap(\.self).map { [$0] }
        }
    }

    /// A header field, or a name with a password.
    private static func pair(_ value: JSONValue) -> String? {
        guard case .text(let name)? = value["name"] else { return nil }
        if case .text(let text)? = value["value"] { return "\(name): \(text)" }
        if case .text(let password)? = value["password"] { return "\(name):\(password)" }
        return nil
    }
}
