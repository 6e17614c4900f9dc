internal import PawlCore
internal import PawlWire

/// A download as an entry of an input list, which reads back as the same download.
struct ListText {
    /// The lines; `nil` if a list cannot contain the URL or the path.
    private(set) var text: String?
    /// What has no form in a list.
    private(set) var omitted: [String] = []

    init(_ download: NewDownload) {
        guard let (url, options) = Self.target(of: download) else { return }
        var lines = options
        let settings = download.settings?.validSettings ?? DownloadSettings()
        for setting in DownloadSettings.table.settings where setting.member != nil {
            guard !setting.isEqual(settings, DownloadSettings()) else { continue }
            let values = Self.texts(setting.encode(settings)).first { texts in
                setting.entries.contains(.list) && Self.means(texts, setting, settings)
            }
            if let values {
                lines += values.map { Option(name: setting.name, value: $0) }
            } else {
                omitted.append("--" + setting.name)
            }
        }
        omitted += Self.unlisted(download)
        text = Self.text(url, lines)
    }

    /// An indented line.
    private struct Option: Equatable {
        var name: String
        var value: String
    }

    private static func text(_ url: String, _ options: [Option]) -> String {
        url + "\n" + options.map { "  \($0.name)=\($0.value)\n" }.joined()
    }

    /// Whether the reader of lists reads the lines as they are meant.
    private static func isRead(_ url: String, _ options: [Option]) -> Bool {
        // What cannot be read is not an entry.
        guard let list = try? InputList(text(url, options), name: "list"), list.entries.count == 1,
            let entry = list.entries.first
        else { return false }
        return entry.url == url
            && entry.options.map { Option(name: $0.name, value: $0.value) } == options
    }

    // MARK: - URL and path

    /// Returns the URL and the options for the path; `nil` if they have no form in a list.
    private static func target(of download: NewDownload) -> (String, [Option])? {
        let (destination, name) = (download.destination, String(download.destination.pathFile))
        var options = [Option(name: DownloadOptions.directory, value: destination)]
        if ObjectAddress.isOne(destination) {
            // A name is not percent-encoded in a list, and a URL is.
            if !destination.isFolderPath { options[0].name = DownloadOptions.output }
        } else if !destination.isFolderPath {
            options[0].value = destination.pathFolder
            options.append(Option(name: DownloadOptions.output, value: name))
        }
        // Standard output has this name.
        guard name != OutputPath.standardOutput || destination.isFolderPath else { return nil }
        let url = [download.url, URLPattern.literal(download.url)].first { url in
            isSame(url, download.url) && isRead(url, options)
        }
        return url.map { ($0, options) }
    }

    /// Whether the text of an entry stands for exactly this URL.
    private static func isSame(_ text: String, _ url: String) -> Bool {
        // A pattern that stands for too many URLs also counts as a different URL.
        guard let urls = try? URLPattern.expand(text), urls.count == 1, let only = urls.first,
            let read = try? SourceURL.parse(only), let meant = try? SourceURL.parse(url)
        else { return false }
        return read.url == meant.url && read.credentials == meant.credentials
    }

    // MARK: - Settings

    /// Returns what the download has besides URL, path and settings.
    private static func unlisted(_ download: NewDownload) -> [String] {
        var parts: [String] = []
        if let priority = download.priority, priority != .normal {
            parts.append("its priority (\(priority.rawValue))")
        }
        if download.label != nil { parts.append("its label") }
        if download.notBefore != nil { parts.append("its start time") }
        if download.session != nil { parts.append("its session") }
        if download.taskDescription != nil { parts.append("its description") }
        if download.isPaused == true { parts.append("that it is paused") }
        if download.resumeData != nil { parts.append("its resume data") }
        if download.confinedTo != nil { parts.append("that it is confined to a folder") }
        return parts
    }

    /// Whether these texts, in a list, give the setting its value.
    private static func means(
        _ texts: [String],
        _ setting: Setting<DownloadSettings>,
        _ settings: DownloadSettings
    ) -> Bool {
        guard isRead("http://host/", texts.map { Option(name: setting.name, value: $0) }) else {
            return false
        }
        var read = DownloadSettings()
        do throws(ValueError) {
            for text in texts { try setting.parse(&read, text) }
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
