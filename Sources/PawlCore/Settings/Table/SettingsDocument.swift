/// Settings as JSON: omitted members are not given, and null restores the default.
///
/// Programs and the daemon exchange settings in this form, and the daemon stores them in it.
package struct SettingsDocument<Root: TabledSettings>: Sendable, Hashable {
    private var values: [String: JSONValue] = [:]

    package init() {}

    /// The settings that differ from their defaults.
    package init(_ settings: Root) {
        let usual = Root()
        for setting in Root.table.settings where !setting.isEqual(settings, usual) {
            if let member = setting.member { values[member] = setting.encode(settings) }
        }
    }

    /// All settings that have a value, including those with their defaults.
    package init(all settings: Root) {
        for setting in Root.table.settings {
            let value = setting.encode(settings)
            if let member = setting.member, value != .null, value != [] { values[member] = value }
        }
    }

    package var isEmpty: Bool { values.isEmpty }

    /// The members that are given.
    package var members: Set<String> { Set(values.keys) }

    package subscript(member member: String) -> JSONValue? {
        get { values[member] }
        set { values[member] = newValue }
    }

    /// A given value, with its type in the settings; `nil` if it is not given or not valid.
    ///
    /// The path must be that of a setting of the table.
    package subscript<Value>(path: any WritableKeyPath<Root, Value> & Sendable) -> Value? {
        get {
            guard let setting = Root.table[path], let value = values[setting.member ?? ""] else {
                return nil
            }
            var settings = Root()
            // An invalid value is refused when all settings are read.
            guard (try? Self.apply(value, of: setting, to: &settings)) != nil else { return nil }
            return settings[keyPath: path]
        }
        set {
            guard let setting = Root.table[path], let member = setting.member else { return }
            guard let newValue else { return values[member] = nil }
            var settings = Root()
            settings[keyPath: path] = newValue
            values[member] = setting.encode(settings)
        }
    }

    /// Copies the value of one setting, even if it is the default.
    ///
    /// `name`: the key in lists.
    package mutating func take(_ name: String, from settings: Root) {
        guard let named = Root.table[name: name], let setting = Root.table[named.path],
            let member = setting.member
        else { return }
        values[member] = setting.encode(settings)
    }

    /// Returns the settings of `base` with all given values.
    ///
    /// Unknown members are ignored, because they may be of another version.
    ///
    /// Throws `.usage` for an invalid value.
    package func settings(over base: Root = Root()) throws(DownloadError) -> Root {
        var settings = base
        for setting in Root.table.settings {
            guard let member = setting.member, let value = values[member] else { continue }
            do throws(ValueError) {
                try Self.apply(value, of: setting, to: &settings)
            } catch {
                throw .usage("'\(member)': \(error.reason)", advice: error.advice)
            }
        }
        return settings
    }

    /// The defaults with all given values that are valid.
    package var validSettings: Root {
        var settings = Root()
        for setting in Root.table.settings {
            guard let member = setting.member, let value = values[member] else { continue }
            // Another version may have other values: the default replaces them.
            try? Self.apply(value, of: setting, to: &settings)
        }
        return settings
    }

    /// Reads the text that a user has typed.
    package mutating func parse(_ text: String, of setting: Setting<Root>) throws(ValueError) {
        var settings = validSettings
        try setting.parse(&settings, text)
        if let member = setting.member { values[member] = setting.encode(settings) }
    }

    /// Whether a setting is given that the daemon does not accept over TCP.
    package var hasLocalSettings: Bool { !keeping { !$0.entries.contains(.network) }.isEmpty }

    /// Whether a given value lets a download replace or change an existing file.
    package var mayReplaceFiles: Bool {
        let settings = validSettings
        return !keeping { $0.mayReplaceFiles(settings) }.isEmpty
    }

    /// Returns this document with the members of another one in place of its own; null removes a
    /// member.
    package func merging(_ changes: SettingsDocument) -> SettingsDocument {
        var merged = self
        for (member, value) in changes.values {
            merged.values[member] = value == .null ? nil : value
        }
        return merged
    }

    /// Returns a document with the members of only the chosen settings.
    package func keeping(_ isKept: (Setting<Root>) -> Bool) -> SettingsDocument {
        var kept = SettingsDocument()
        for setting in Root.table.settings where isKept(setting) {
            if let member = setting.member { kept.values[member] = values[member] }
        }
        return kept
    }

    /// This document without members that may be secret.
    package var withoutSecrets: SettingsDocument {
        keeping { !$0.isSecret }
    }

    private static func apply(
        _ value: JSONValue,
        of setting: Setting<Root>,
        to settings: inout Root
    ) throws(ValueError) {
        guard value != .null else { return setting.copy(&settings, Root()) }
        try setting.decode(&settings, value)
    }
}

extension SettingsDocument: Codable {
    package init(from decoder: any Decoder) throws {
        values = try [String: JSONValue](from: decoder)
    }

    package func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}
