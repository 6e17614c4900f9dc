internal import PawlCore

/// The value of an option as text, and where it was given.
package struct OptionAssignment: Sendable {
    /// The key in a list; with `--` in front, the option of the command.
    package var name: String
    package var value: String
    /// The beginning of error messages: `--checksum`, or `list.txt, line 3: checksum`.
    package var location: String
    package var form = Form.typed

    /// What the value is.
    package enum Form: Sendable {
        /// What the user wrote, which may name a file.
        case typed
        /// A command that prints the value.
        case command
        /// The content of a file, or the output of a command.
        case content
    }

    package init(_ name: String, _ value: String, location: String? = nil) {
        self.name = name
        self.value = value
        self.location = location ?? "--\(name)"
    }
}

extension OptionAssignment {
    /// Whether the value, or what it names, may be secret.
    var mayBeSecret: Bool {
        form == .command || name == DownloadOptions.headerFile || hiddenForm != nil
    }

    /// The value without what may be secret.
    var redactedValue: String { hiddenForm ?? value }

    /// What is shown instead of a value that may be secret; `nil` if it is known not to be.
    private var hiddenForm: String? {
        guard DownloadSettings.table[name: name]?.isSecret ?? false else { return nil }
        let start = String(value.prefix { $0 != ":" })
        switch name {
        case "header", "redirect-header": return SecretField.isSecret(start) ? "\(start): ***" : nil
        case "user": return value.contains(":") ? "\(start):***" : nil
        case "mirror", "proxy", "referer", "dns-over-https":
            let redacted = AddressParts(value).redacted
            return redacted == value ? nil : redacted
        default: return "***"
        }
    }
}
