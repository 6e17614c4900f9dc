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
    ///
    /// Some values of secret settings are known not to be.
    var mayBeSecret: Bool {
        if form == .command || name == DownloadOptions.headerFile { return true }
        guard DownloadSettings.table[name: name]?.isSecret ?? false else { return false }
        return switch name {
        case "header", "redirect-header": SecretField.isSecret(String(value.prefix { $0 != ":" }))
        case "user": value.contains(":")
        case "mirror", "proxy", "referer", "dns-over-https":
            AddressParts(value).redacted != value
        default: true
        }
    }
}
