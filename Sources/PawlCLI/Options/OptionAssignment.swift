internal import PawlCore
internal import PawlWire

/// The value of an option as text, and where it was given.
package struct OptionAssignment: Sendable {
    /// The key in a list; with `--` in front, the option of the command.
    package var name: String
    package var value: String
    package var origin: ValueOrigin
    package var form = Form.typed

    /// Where an option was given.
    package enum ValueOrigin: Hashable, Sendable {
        case commandLine
        /// An environment variable.
        case variable(String)
        /// A line such as `list.txt, line 3`, under a key.
        case line(String, key: String)
        /// Elsewhere, such as `<rate>`.
        case named(String)
    }

    /// What the value is.
    package enum Form: Sendable {
        /// What the user wrote, which may name a file.
        case typed
        /// A command that prints the value.
        case command
        /// The content of a file, or the output of a command.
        case content
    }

    package init(_ name: String, _ value: String, at origin: ValueOrigin = .commandLine) {
        self.name = name
        self.value = value
        self.origin = origin
    }
}

extension OptionAssignment {
    /// The beginning of error messages: `--checksum`, or `list.txt, line 3: checksum`.
    package var location: String {
        switch origin {
        case .commandLine: "--\(name)"
        case .variable(let variable): variable
        case .line(let line, let key): "\(line): \(key)"
        case .named(let name): name
        }
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
        if name == UserConfig.daemonToken { return "***" }
        if name == UserConfig.store { return StoreChoice.hasPassword(value) ? "***" : nil }
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
