package import PawlCore
internal import PawlWire

/// The user's config file: options for all downloads, and for those from some hosts.
package struct ConfigFile: Sendable {
    /// Options that apply together.
    struct Section: Sendable {
        /// The hosts to which the options apply; `nil` for all.
        let hosts: HostPattern?
        fileprivate(set) var options: [OptionAssignment] = []
    }

    /// The sections in the order of the file, those for all hosts first.
    private(set) var sections: [Section]

    /// Parses the text of a file.
    ///
    /// Checks the names of all options; their values are checked when they are used.
    ///
    /// - Parameters:
    ///   - name: The name of the file, for errors.
    ///   - home: The folder for which `~` stands; `nil` if there is none.
    ///   - names: The options to read; `nil` for all. Mistakes in others are ignored.
    package init(
        _ text: String,
        name: String,
        home: String?,
        only names: [String]? = nil
    ) throws(DownloadError) {
        var sections: [Section] = []
        for value in try TOMLValue.all(in: text, name: name) {
            let location = "\(name), line \(value.line)"
            // A section without options is not a mistake.
            let isSection = value.keys == [Self.defaults] || value.keys.first == Self.host
            if value.isEmpty, isSection, value.keys.count < 3 { continue }
            if let names, !Self.means(value.keys, oneOf: names) { continue }
            let (hosts, key) = try Self.target(of: value.keys, location)
            let option = try Self.option(key, value, location, home)
            guard hosts == nil || !UserConfig.runNames.contains(option.name) else {
                throw .usage(
                    "\(location): '\(key)' applies to all downloads of a command together",
                    advice: "write it below [defaults]"
                )
            }
            // A line may be far from the heading of its section.
            let index = sections.firstIndex { $0.hosts == hosts } ?? sections.count
            if index == sections.count { sections.append(Section(hosts: hosts)) }
            let isGiven = sections[index].options.contains { $0.isSameOption(as: option) }
            guard !isGiven || DownloadOptions.isRepeatable(key) else {
                throw .usage(
                    "\(location): '\(key)' takes one value, not a list",
                    advice: "write one value"
                )
            }
            if !value.isEmpty { sections[index].options.append(option) }
        }
        // What applies to all downloads comes first, wherever it stands.
        self.sections = sections.filter { $0.hosts == nil } + sections.filter { $0.hosts != nil }
    }

    /// Whether it contains the token of a daemon, and not only a command that prints it.
    var hasToken: Bool {
        sections.contains { section in
            section.options.contains { $0.name == UserConfig.daemonToken && $0.form != .command }
        }
    }

    /// Whether it contains the password of the daemon's database.
    var hasStorePassword: Bool {
        sections.contains { section in
            section.options.contains { $0.name == UserConfig.store && $0.mayBeSecret }
        }
    }

    /// Returns the file with only the options that satisfy a predicate.
    func keeping(_ isKept: (OptionAssignment) -> Bool) -> ConfigFile {
        var file = self
        for index in file.sections.indices {
            file.sections[index].options = sections[index].options.filter(isKept)
        }
        return file
    }

    private static let defaults = "defaults"
    private static let host = "host"

    /// The hosts and the name of the option that the keys of a value mean.
    private static func target(
        of keys: [String],
        _ location: String
    ) throws(DownloadError) -> (HostPattern?, String) {
        // The name of a setting may contain a dot, which TOML takes for a table.
        if keys.first == defaults, keys.count > 1 {
            return (nil, keys[1...].joined(separator: "."))
        }
        guard keys.first == host, keys.count > 2 else {
            let key = keys.joined(separator: ".").sanitized(atMost: 60)
            throw .usage(
                "\(location): '\(key)' is outside every section",
                advice: "write it below [defaults], or below [host.\"example.org\"] for one host"
            )
        }
        let key = keys[2...].joined(separator: ".")
        guard keys.count == 3 || isName(key) || isName(keys[2]) else {
            let pattern = keys[1..<(keys.count - 1)].joined(separator: ".").sanitized(atMost: 60)
            throw .usage(
                "\(location): a host needs quotation marks",
                advice: "write [host.\"\(pattern)\"]"
            )
        }
        return (try HostPattern(keys[1], location), key)
    }

    private static func option(
        _ key: String,
        _ value: TOMLValue,
        _ location: String,
        _ home: String?
    ) throws(DownloadError) -> OptionAssignment {
        guard isName(key) else {
            let known = UserConfig.names.sorted()
            let similar = SimilarWord.nearest(to: key.lowercased(), among: known)
            throw .usage(
                "\(location): '\(key.sanitized(atMost: 60))' is not an option of the config file",
                advice: similar.map { "did you mean '\($0)'?" }
                    ?? "use one of \(known.joined(separator: ", "))"
            )
        }
        guard let text = value.isEmpty ? "" : value.text else {
            throw .usage(
                "\(location): the value of '\(key)' is not a string, a number, true or false",
                advice: "write the value as on the command line, in quotation marks"
            )
        }
        var option = OptionAssignment(key, text, at: .line(location, key: key))
        if let name = UserConfig.secretOfCommand(key) {
            option.name = name
            option.form = .command
        } else if UserConfig.pathNames.contains(key), !value.isEmpty {
            // The only path option with such a word.
            let isNone = key == "netrc" && text.lowercased() == "none"
            let isObject = key == DownloadOptions.directory && ObjectAddress.isOne(text)
            if !isNone, !isObject { option.value = try path(text, option.location, home) }
        }
        return option
    }

    /// Whether the keys of a value name one of these options, even in a wrong section or with a
    /// spelling mistake.
    private static func means(_ keys: [String], oneOf names: [String]) -> Bool {
        guard let key = keys.last else { return false }
        let name =
            isName(key)
            ? UserConfig.secretOfCommand(key) ?? key
            : SimilarWord.nearest(to: key.lowercased(), among: UserConfig.names.sorted())
        return name.map(names.contains) ?? false
    }

    private static func isName(_ key: String) -> Bool {
        UserConfig.names.contains(key) || UserConfig.secretOfCommand(key) != nil
    }

    /// The path of a file or folder, which does not depend on the current folder.
    private static func path(
        _ text: String,
        _ location: String,
        _ home: String?
    ) throws(DownloadError) -> String {
        if let home, text == "~" || text.hasPrefix("~/") { return home + text.dropFirst() }
        guard text.isAbsolutePath else {
            throw .usage(
                "\(location): '\(text.sanitized(atMost: 200))' is not an absolute path",
                advice: "write a path that starts with / or ~/"
            )
        }
        return text
    }
}

/// A pattern of hosts, such as `*.example.org`, with a port if only that is meant.
struct HostPattern: Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ text: String, _ location: String) throws(DownloadError) {
        guard !text.isEmpty, !text.contains(where: { "/@ \t".contains($0) }) else {
            throw .usage(
                "\(location): '\(text.sanitized(atMost: 60))' is not a pattern of hosts",
                advice: "write a host such as example.org, *.example.org or example.org:8080"
            )
        }
        description = text.lowercased()
    }

    /// Whether it is the name of one host, and not a pattern.
    var isOne: Bool { !NamePattern.isOne(description) }

    func matches(_ address: AddressParts) -> Bool {
        guard let host = address.host?.lowercased() else { return false }
        if NamePattern.matches(description, host) { return true }
        let port = address.port ?? "\(URLScheme.usualPort(of: address.scheme))"
        return NamePattern.matches(description, "\(host):\(port)")
    }
}

extension OptionAssignment {
    fileprivate func isSameOption(as other: OptionAssignment) -> Bool {
        name == other.name && (form == .command) == (other.form == .command)
    }
}
