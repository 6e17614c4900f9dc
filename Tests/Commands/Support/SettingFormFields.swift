import PawlCore

extension SettingTable {
    /// The fields of an HTML form for all settings that are accepted over TCP, as the daemon's page
    /// reads them.
    var formFields: JSONValue {
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

extension SettingInput {
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

extension JSONValue {
    /// The text of the value, indented by two spaces.
    var json: String { json(indentation: "") }

    private func json(indentation: String) -> String {
        let inner = indentation + "  "
        switch self {
        case .null, .number, .decimal, .truth: return brief
        case .text(let text): return Self.quoted(text)
        case .list(let values):
            guard !values.isEmpty else { return "[]" }
            let lines = values.map { inner + $0.json(indentation: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
        case .members(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map { member in
                "\(inner)\(Self.quoted(member.name)): \(member.value.json(indentation: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
