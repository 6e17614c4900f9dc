internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// Options for settings of a download or of the daemon.
///
/// Their names and help come from the tables.
extension Option {
    /// An option that can be given once.
    ///
    /// `help`: replaces the text of the table if this option has a different effect.
    init(setting name: String, help: String? = nil) where Value == String? {
        self.init(DownloadSettings.table.option(name), help)
    }

    /// An option that can be given once.
    init(daemonSetting name: String) where Value == String? {
        self.init(DaemonSettings.table.option(name), nil)
    }

    /// An option that can be given once, even without a value.
    ///
    /// `text`: the value if the option has none.
    init(daemonSetting name: String, withoutValue text: String) where Value == String? {
        let setting = DaemonSettings.table.option(name)
        self.init(
            name: setting.optionName,
            defaultAsFlag: text,
            help: setting.optionHelp()
        )
    }

    private init<Root>(_ setting: Setting<Root>, _ help: String?) where Value == String? {
        self.init(
            name: setting.optionName,
            parsing: .unconditional,
            help: setting.optionHelp(help)
        )
    }

    /// An option that can be given several times.
    init(wrappedValue: [String], daemonSetting name: String) where Value == [String] {
        self.init(wrappedValue: wrappedValue, DaemonSettings.table.option(name), nil)
    }

    /// An option that can be given several times.
    init(wrappedValue: [String], setting name: String, help: String? = nil)
    where Value == [String] {
        self.init(wrappedValue: wrappedValue, DownloadSettings.table.option(name), help)
    }

    private init<Root>(wrappedValue: [String], _ setting: Setting<Root>, _ help: String?)
    where Value == [String] {
        self.init(
            wrappedValue: wrappedValue,
            name: setting.optionName,
            parsing: .unconditionalSingleValue,
            help: setting.optionHelp(help)
        )
    }
}

extension Flag where Value == Bool {
    init(wrappedValue: Bool, setting name: String) {
        let setting = DownloadSettings.table.option(name)
        self.init(wrappedValue: wrappedValue, name: setting.optionName, help: setting.optionHelp())
    }
}

extension Flag where Value == Bool? {
    /// A flag that can also be refused, with `--no-` in front of its name.
    init(setting name: String) {
        let setting = DownloadSettings.table.option(name)
        self.init(
            name: setting.optionName,
            inversion: .prefixedNo,
            exclusivity: .chooseLast,
            help: setting.optionHelp()
        )
    }
}

extension SettingTable {
    fileprivate func option(_ name: String) -> Setting<Root> {
        guard let setting = self[name: name] else {
            preconditionFailure("the table of settings has no '\(name)'")
        }
        return setting
    }
}

extension Setting {
    fileprivate var optionName: NameSpecification {
        let long = NameSpecification.Element.customLong(name)
        guard let letter else { return [long] }
        return [.customShort(letter, allowingJoined: true), long]
    }

    fileprivate func optionHelp(_ text: String? = nil) -> ArgumentHelp {
        ArgumentHelp(text ?? help, valueName: valueName)
    }
}

/// A group of options of one download.
protocol DownloadOptionGroup: ParsableArguments {}

extension DownloadOptionGroup {
    /// The given options in the order of their declaration.
    var assignments: [OptionAssignment] {
        OptionAssignment.all(in: self).filter { DownloadOptions.isOption($0.name) }
    }
}

extension OptionAssignment {
    /// The given options of a command or a group, in the order of their declaration.
    static func all(in options: some ParsableArguments) -> [OptionAssignment] {
        Mirror(reflecting: options).children.flatMap { child -> [OptionAssignment] in
            let name = optionName(child.label ?? "")
            let values: [String]
            switch child.value {
            case let option as Option<String?>: values = option.wrappedValue.map { [$0] } ?? []
            case let option as Option<[String]>: values = option.wrappedValue
            case let flag as Flag<Bool>: values = flag.wrappedValue ? ["true"] : []
            case let flag as Flag<Bool?>: values = flag.wrappedValue.map { ["\($0)"] } ?? []
            default: values = []
            }
            return values.map { OptionAssignment(name, $0) }
        }
    }

    /// The option of a property wrapper's storage: `_stallTimeout` becomes `stall-timeout`.
    private static func optionName(_ label: String) -> String {
        let name = label.drop { $0 == "_" }.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }
            .joined()
        return namesWithDots[name] ?? name
    }

    /// The settings whose names contain dots, which those of properties cannot.
    private static let namesWithDots: [String: String] = {
        let names = DownloadSettings.table.settings.map(\.name).filter { $0.contains(".") }
        return Dictionary(uniqueKeysWithValues: names.map { ($0.filter { $0 != "." }, $0) })
    }()
}

extension SettingsDocument where Root == DaemonSettings {
    /// Applies those options that are settings of the daemon.
    mutating func take(_ options: [OptionAssignment]) throws(DownloadError) {
        for option in options {
            guard let setting = DaemonSettings.table[name: option.name] else { continue }
            try usage(option.location) { () throws(ValueError) in
                try parse(option.value, of: setting)
            }
        }
    }
}
