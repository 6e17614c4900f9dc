/// The description of one setting, for all ways in which it can be given or shown.
package struct Setting<Root: Sendable>: Sendable {
    /// The key in lists and configuration files; with `--` the option of the command.
    package let name: String
    /// The letter of the short option.
    package let letter: Character?
    /// The member in JSON; `nil` if this is another way to write an earlier setting.
    package let member: String?
    /// The field in an HTML form; `nil` if such forms do not show the setting.
    package let field: SettingField?
    /// The kind of input in an HTML form.
    package let input: SettingInput
    /// The effect of the option, for the help.
    ///
    /// A table replaces `{default}` by the default.
    package private(set) var help: String
    /// The meaning of the value in JSON, for the references, with `{default}` as in the help.
    package private(set) var about: String
    /// JSON Schema 2020-12, without a description.
    package let schema: JSONValue
    /// The names of the members if the value in JSON is an object, or a list of objects.
    let innerMembers: [String]
    /// The name of the value in the help; `nil` for a flag.
    package let valueName: String?
    /// The interfaces where it can be given.
    package let entries: SettingEntries
    /// Whether it can change while a download runs.
    package let isChangeable: Bool
    /// Whether its value may be secret: then it is never shown, and not kept longer than needed.
    package let isSecret: Bool
    /// Whether it can be given more than once.
    package let isRepeatable: Bool
    /// Whether the value in given settings lets a download replace or change an existing file.
    let mayReplaceFiles: @Sendable (Root) -> Bool
    /// Whether the value in given settings is about a file, so that it cannot be used for an object.
    let needsFile: @Sendable (Root) -> Bool
    /// The path of the value within the settings.
    package let path: any PartialKeyPath<Root> & Sendable
    /// The value of the settings in JSON.
    package let encode: @Sendable (Root) -> JSONValue
    /// Whether the values of both are equal.
    package let isEqual: @Sendable (Root, Root) -> Bool
    /// Copies the value from other settings.
    package let copy: @Sendable (inout Root, Root) -> Void
    /// Reads a value of JSON that is not null.
    let decode: @Sendable (inout Root, JSONValue) throws(ValueError) -> Void
    /// Reads the text that a user has typed.
    package let parse: @Sendable (inout Root, String) throws(ValueError) -> Void

    /// Creates a setting with one value.
    ///
    /// - Parameters:
    ///   - name: The key in lists, and the option without `--`.
    ///   - member: The member in JSON; `nil` if this is another way to write an earlier setting.
    ///   - path: The path of the value within the settings.
    ///   - form: The way in which the value is written.
    ///   - field: Its field in HTML forms, such as those of the page; `nil` for none.
    ///   - valueName: The name of the value in the help; by default that of the form.
    ///   - mayReplaceFiles: Whether a value lets a download replace or change an existing file,
    ///     which not every client of the daemon may do.
    ///   - needsFile: Whether a value is about a file, so that it cannot be used if the download
    ///     becomes an object.
    package init<Value: Equatable & Sendable>(
        _ name: String,
        letter: Character? = nil,
        member: String?,
        _ path: any WritableKeyPath<Root, Value> & Sendable,
        _ form: SettingForm<Value>,
        valueName: String? = nil,
        entries: SettingEntries = .all,
        isChangeable: Bool = false,
        isSecret: Bool = false,
        mayReplaceFiles: @escaping @Sendable (Value) -> Bool = { _ in false },
        needsFile: @escaping @Sendable (Value) -> Bool = { _ in false },
        field: SettingField? = nil,
        help: String,
        about: String? = nil
    ) {
        self.name = name
        self.field = field
        input = form.input
        self.letter = letter
        self.member = member
        self.help = help
        self.about = about ?? help
        self.mayReplaceFiles = { mayReplaceFiles($0[keyPath: path]) }
        self.needsFile = { needsFile($0[keyPath: path]) }
        self.schema = form.schema
        innerMembers = form.innerMembers
        self.valueName = valueName ?? form.valueName
        self.entries = entries
        self.isChangeable = isChangeable
        self.isSecret = isSecret
        isRepeatable = form.isRepeatable
        self.path = path
        encode = { form.encode($0[keyPath: path]) }
        isEqual = { $0[keyPath: path] == $1[keyPath: path] }
        copy = { $0[keyPath: path] = $1[keyPath: path] }
        decode = { (root, value) throws(ValueError) in
            root[keyPath: path] = try form.decode(value)
        }
        parse = { (root, text) throws(ValueError) in
            root[keyPath: path] = form.join(root[keyPath: path], try form.parse(text))
        }
    }

    /// Creates a setting with several values, which a user gives one by one.
    ///
    /// `member`: `nil` if an earlier setting of the table has the same values.
    package init<Element: Equatable & Sendable>(
        _ name: String,
        letter: Character? = nil,
        member: String?,
        _ path: any WritableKeyPath<Root, [Element]> & Sendable,
        each form: SettingForm<Element>,
        most: Int? = nil,
        entries: SettingEntries = .all,
        isChangeable: Bool = false,
        isSecret: Bool = false,
        needsFile: @escaping @Sendable ([Element]) -> Bool = { _ in false },
        field: SettingField? = nil,
        help: String,
        about: String? = nil
    ) {
        self.init(
            name,
            letter: letter,
            member: member,
            path,
            form.list(most: most),
            entries: entries,
            isChangeable: isChangeable,
            isSecret: isSecret,
            needsFile: needsFile,
            field: field,
            help: help,
            about: about
        )
    }
}

extension Setting {
    /// Returns the setting with the default of its value in place of `{default}` in its texts.
    func naming(defaultOf defaults: Root) -> Setting {
        var setting = self
        let text = encode(defaults).brief
        setting.help = help.replacing("{default}", with: text)
        setting.about = about.replacing("{default}", with: text)
        return setting
    }
}

/// The interfaces where a setting can be given.
package struct SettingEntries: OptionSet, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// An option of the command.
    package static let command = SettingEntries(rawValue: 1)
    /// A key below a URL in an input list.
    package static let list = SettingEntries(rawValue: 2)
    /// A property of a settings type in the library.
    package static let library = SettingEntries(rawValue: 4)
    /// A member of a request at the daemon's socket.
    package static let socket = SettingEntries(rawValue: 8)
    /// A member of a request to the daemon over TCP.
    package static let network = SettingEntries(rawValue: 16)

    /// A key of the config file, and an environment variable.
    package static let config = SettingEntries(rawValue: 32)

    package static let all: SettingEntries = oneFile.union(.config)
    /// All where a value is for one file.
    package static let oneFile: SettingEntries = [.command, .list, .library, .socket, .network]
    /// All but the command and its lists.
    package static let programs: SettingEntries = [.library, .socket, .network]
}
