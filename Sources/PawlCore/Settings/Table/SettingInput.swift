/// The kind of input for the value of a setting in an HTML form.
package enum SettingInput: Hashable, Sendable {
    /// A line of text.
    case text
    /// A whole number.
    case number(ClosedRange<Int>)
    /// MiB per second.
    case rate
    case seconds
    /// One of several words.
    case choice([String])
    /// A checkbox.
    case flag
    /// `Name: value`.
    case field
    /// `name:password`.
    case credentials

    /// The description that the forms of the daemon's page are built from.
    fileprivate var members: [(String, JSONValue)] {
        switch self {
        case .text: [("input", "text")]
        case .number(let range):
            [
                ("input", "number"), ("least", .number(range.lowerBound)),
                ("most", .number(range.upperBound)),
            ]
        case .rate: [("input", "rate")]
        case .seconds: [("input", "seconds")]
        case .choice(let words):
            [("input", "choice"), ("choices", .list(words.map { .text($0) }))]
        case .flag: [("input", "flag")]
        case .field: [("input", "field")]
        case .credentials: [("input", "credentials")]
        }
    }
}

/// The field of an HTML form for a setting.
package struct SettingField: Hashable, Sendable {
    package var label: String
    /// The text in an empty field, which explains what an empty field means; `nil` if the default
    /// is shown.
    package var placeholder: String?

    package init(_ label: String, placeholder: String? = nil) {
        self.label = label
        self.placeholder = placeholder
    }
}

extension SettingTable {
    /// The fields of an HTML form for all settings that are accepted over TCP, as the daemon's page
    /// reads them.
    package var formFields: JSONValue {
        let defaults = Root()
        return .list(settings.compactMap { $0.formField(in: defaults) })
    }
}

extension Setting {
    /// Returns the field of an HTML form; `nil` if such forms do not show the setting.
    fileprivate func formField(in defaults: Root) -> JSONValue? {
        guard let field, let member, entries.contains(.network) else { return nil }
        var members: [(String, JSONValue)] = [
            ("name", .text(member)), ("label", .text(field.label)),
        ]
        members += input.members
        if isRepeatable { members.append(("isList", true)) }
        if isChangeable { members.append(("isChangeable", true)) }
        let value = encode(defaults)
        if let placeholder = field.placeholder {
            members.append(("placeholder", .text(placeholder)))
        } else if value != .null, value != [] {
            members.append(("default", value))
        }
        return .object(members + [("hint", .text(about))])
    }
}
