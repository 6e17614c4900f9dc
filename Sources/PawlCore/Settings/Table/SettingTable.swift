/// Settings that are described by a table.
package protocol TabledSettings: Sendable {
    /// The defaults.
    init()

    static var table: SettingTable<Self> { get }
}

extension TabledSettings {
    /// The settings with defaults in place of values that may be secret.
    package var withoutSecrets: Self {
        var settings = self
        let usual = Self()
        for setting in Self.table.settings where setting.isSecret {
            setting.copy(&settings, usual)
        }
        return settings
    }
}

/// All settings of one type, in the order in which they are shown.
package struct SettingTable<Root: TabledSettings>: Sendable {
    package let settings: [Setting<Root>]
    private let byName: [String: Int]
    private let byMember: [String: Int]

    package init(_ settings: [Setting<Root>]) {
        let defaults = Root()
        self.settings = settings.map { $0.naming(defaultOf: defaults) }
        var (names, members): ([String: Int], [String: Int]) = ([:], [:])
        for (index, setting) in settings.enumerated() {
            names[setting.name] = index
            if let member = setting.member { members[member] = index }
        }
        (byName, byMember) = (names, members)
    }

    package subscript(name name: String) -> Setting<Root>? { byName[name].map { settings[$0] } }

    package subscript(member member: String) -> Setting<Root>? {
        byMember[member].map { settings[$0] }
    }

    /// The setting whose value has the given path, and which has a member in JSON.
    package subscript(path: PartialKeyPath<Root>) -> Setting<Root>? {
        settings.first { $0.path == path && $0.member != nil }
    }
}
