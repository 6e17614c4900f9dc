internal import PawlCore

/// The options that are given for one download at several levels, of which later ones replace
/// earlier ones (pure).
///
/// ``DownloadOptions`` applies them. This type decides which of them have an effect, so that the
/// command for a secret runs only if the secret is used.
package struct OptionLevels: Sendable {
    /// An option of a level.
    package struct Entry: Sendable {
        package let option: OptionAssignment
        /// Whether a later option replaces it.
        package let isReplaced: Bool
    }

    /// The options of each level, in the order in which they are applied.
    package let levels: [[Entry]]

    private struct Option {
        let assignment: OptionAssignment
        /// The options that it stands for: those in its file, or the option itself.
        let content: [OptionAssignment]
    }

    /// - Parameters:
    ///   - content: Returns the options that an option stands for; by default, the option itself.
    package init(
        _ levels: [[OptionAssignment]],
        content: (OptionAssignment) -> [OptionAssignment] = { [$0] }
    ) {
        let options = levels.map { level in
            level.map { Option(assignment: $0, content: content($0)) }
        }
        var later: Set<OptionValue> = []
        var entries: [[Entry]] = []
        for (index, level) in options.enumerated().reversed() {
            entries.append(Self.entries(of: level, later: later))
            let earlierUser = levels[..<index].joined().last { $0.name == "user" }
            for option in level.flatMap(\.content) {
                later.formUnion(OptionValue.replaced(by: option, earlierUser: earlierUser))
            }
        }
        self.levels = entries.reversed()
    }

    /// The options of each level, without the commands for secrets that are not used.
    var needed: [[OptionAssignment]] {
        levels.map { level in
            level.filter { !$0.isReplaced || $0.option.form != .command }.map(\.option)
        }
    }

    private static func entries(
        of level: [Option],
        later: Set<OptionValue>
    ) -> [Entry] {
        // Options that can be given several times are joined within a level. A name that is given
        // twice there ends the command of an earlier one.
        var single: Set<OptionValue> = []
        var entries: [Entry] = []
        for option in level.reversed() {
            let values = Set(option.content.flatMap(OptionValue.set))
            let isReplaced = !values.isEmpty && values.isSubset(of: later.union(single))
            entries.append(Entry(option: option.assignment, isReplaced: isReplaced))
            let name = option.assignment.name
            let isSingle = name != "user" && !DownloadOptions.isRepeatable(name)
            if isSingle { single.formUnion(values) }
        }
        return entries.reversed()
    }
}

/// What an option sets, and so replaces in earlier levels.
private enum OptionValue: Hashable {
    /// A setting, by the first of its names.
    case setting(String)
    /// The header with a name in lower case.
    case field(String)
    /// The address of a host and a port.
    case address(host: String?, port: Int?)
    /// The command that prints a password.
    case passwordCommand
    /// An option that is not a setting.
    case option(String)

    private static let authorization = OptionValue.field("authorization")
    /// The values by which a client signs in.
    private static let signIn: Set = [.setting("user"), authorization, passwordCommand]

    /// Returns what an option sets; nothing if that is not known.
    static func set(by option: OptionAssignment) -> Set<OptionValue> {
        switch option.name {
        case UserConfig.password: return [.passwordCommand]
        case "bearer": return [authorization]
        case DownloadOptions.headerFile:
            // The file has not been read.
            return []
        case "header", "redirect-header":
            // The output of a command begins with the name.
            return option.form == .command ? [] : [field(of: option.value)]
        case "resolve":
            // The download reports a value that is not valid.
            guard let fixed = try? FixedAddress.parse(option.value) else { return [] }
            return [.address(host: fixed.host, port: fixed.port)]
        default:
            let table = DownloadSettings.table
            guard let path = table[name: option.name]?.path,
                let first = table.settings.first(where: { $0.path == path })
            else { return [.option(option.name)] }
            return [.setting(first.name)]
        }
    }

    /// Returns what an option replaces in earlier levels, of which `earlierUser` is the last
    /// `user`.
    static func replaced(
        by option: OptionAssignment,
        earlierUser: OptionAssignment?
    ) -> Set<OptionValue> {
        let own = set(by: option)
        guard option.name == "user" else {
            return own.contains(authorization) ? own.union(signIn) : own
        }
        // A name without a password keeps the command that prints it, unless that is for another
        // name. What name a command prints is not known.
        let isSame = earlierUser.map { $0.form == .command || $0.userName == option.value } ?? true
        let keepsCommand = isSame && option.form != .command && !option.value.contains(":")
        return keepsCommand ? own.union([authorization]) : own.union(signIn)
    }

    private static func field(of line: String) -> OptionValue {
        let name = line.prefix { $0 != ":" && $0 != ";" }.trimmed.lowercased()
        return name == "user-agent" ? .setting("user-agent") : .field(name)
    }
}

extension OptionAssignment {
    /// The part of `name:password` before the colon.
    var userName: String { String(value.prefix { $0 != ":" }) }
}
