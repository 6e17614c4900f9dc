internal import PawlCore

/// The options that are set, with the locations where they are set.
struct ConfigReport: Sendable {
    struct Entry: Sendable, Encodable {
        var option: String
        /// Without secrets.
        var value: String
        /// The hosts to which it applies; `nil` for all.
        var hosts: String?
        /// The line or the variable; `nil` for a default.
        var from: String?
        /// Whether a later entry replaces it.
        var isReplaced: Bool
        /// The heading in the text.
        fileprivate var heading = "defaults"

        private enum CodingKeys: String, CodingKey {
            case option, value, hosts, from, isReplaced
        }
    }

    private(set) var entries: [Entry] = []

    /// Lists all options, or those that apply to a URL.
    init(_ config: UserConfig, url: String?) {
        var sections = config.all
        if let address = url.map({ AddressParts($0) }) {
            sections = sections.filter { $0.hosts?.matches(address) ?? true }
        }
        let login = url.map(config.login) ?? []
        // Without a URL, it is not known which sections apply.
        let content = url == nil ? { [$0] } : Self.content
        let levels = OptionLevels(sections.map(\.options) + [login], content: content).levels
        for (section, level) in zip(sections, levels) {
            for entry in level {
                entries.append(
                    Entry(
                        option: Self.name(of: entry.option),
                        value: Self.shown(entry.option),
                        hosts: section.hosts?.description,
                        from: Self.location(of: entry.option),
                        isReplaced: url != nil && entry.isReplaced,
                        heading: Self.heading(of: entry.option, for: section.hosts)
                    )
                )
            }
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Adds the options that are not set, with their defaults.
    mutating func addDefaults() {
        let usual = DownloadSettings()
        let given = Set(entries.map(\.option))
        for setting in DownloadSettings.table.settings
        where setting.entries.contains(.config) && !given.contains(setting.name) {
            let value = setting.encode(usual)
            guard value != .null, value != [], setting.member != nil else { continue }
            // The option of such a setting is the opposite of its value.
            let isOpposite = value == true && setting.valueName == nil
            entries.append(
                Entry(
                    option: setting.name,
                    value: isOpposite ? "false" : value.brief,
                    hosts: nil,
                    from: nil,
                    isReplaced: false
                )
            )
        }
    }

    /// The options as lines, below the headings of their sections.
    var text: String {
        let lines = entries.map { "\($0.option) = \($0.value)" }
        let width = min(48, lines.map(\.count).max() ?? 0)
        var text = ""
        var heading: String?
        for (entry, line) in zip(entries, lines) {
            let next = entry.heading
            if next != heading { text += (heading == nil ? "" : "\n") + "[\(next)]\n" }
            heading = next
            let origin = entry.from.map { entry.isReplaced ? "\($0), replaced" : $0 } ?? "default"
            text += "\(line.padded(toColumns: width))  # \(origin)\n"
        }
        return text
    }

    /// The headers in the file that an option names, or the option itself.
    ///
    /// A pipe is not read, because it is meant for a download; a file that cannot be read is an
    /// error of the download.
    private static func content(of option: OptionAssignment) -> [OptionAssignment] {
        guard option.name == DownloadOptions.headerFile, OutputPath.isRegularFile(option.value)
        else { return [option] }
        return (try? OptionFiles.read(option)) ?? []
    }

    private static func heading(of option: OptionAssignment, for hosts: HostPattern?) -> String {
        if let hosts { return "host.\"\(hosts.description.sanitized)\"" }
        if case .variable = option.origin { return "environment" }
        return "defaults"
    }

    private static func name(of option: OptionAssignment) -> String {
        option.form == .command ? "\(option.name)-command" : option.name
    }

    /// The location without the name of the option, which is beside it.
    private static func location(of option: OptionAssignment) -> String {
        guard case .line(let line, _) = option.origin else { return option.location }
        return line
    }

    private static func shown(_ option: OptionAssignment) -> String {
        let value = option.form == .command ? option.value : option.redactedValue
        return value.sanitized(atMost: 200)
    }
}
