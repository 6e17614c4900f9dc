internal import FoundationEssentials
internal import PawlCore

/// The line after Ctrl-C on a terminal with the command that continues the downloads in the
/// background.
///
/// It is a line to copy and not a question: what the user types next belongs to the shell.
package struct BackgroundHint: Sendable {
    package var options: [OptionAssignment]
    /// Whether some downloads come from a list, whose options do not fit on a command line.
    package var hasList = false
    /// The given options that have no effect in the background.
    package var omittedOptions: [String] = []

    package init(options: [OptionAssignment]) { self.options = options }

    private static let prefix = "To continue in the background: "
    /// A longer line would not be copied.
    private static let maximumBytes = 2000

    /// The line for the unfinished downloads; `nil` if there are none.
    package func text(for unfinished: [RequestedDownload]) -> String? {
        guard !unfinished.isEmpty else { return nil }
        if let command = command(for: unfinished) { return Self.prefix + command }
        var text = Self.prefix + "run the same command with --background"
        if !omittedOptions.isEmpty {
            text += " and without " + omittedOptions.joined(separator: ", ")
        }
        return text
    }

    /// The exact command; `nil` if it would be too long or show a secret.
    private func command(for unfinished: [RequestedDownload]) -> String? {
        guard !hasList, unfinished.allSatisfy({ $0.settings.credentials == nil }) else {
            return nil
        }
        var words = ["pawl", "get", "--background"]
        for option in options where option.name != "no-resume" {
            guard option.name == DownloadOptions.headerFile || !option.mayBeSecret else {
                return nil
            }
            let isFlag = Self.isFlag(option.name)
            let start = isFlag && option.value == "false" ? "--no-" : "--"
            words.append(start + option.name)
            if !isFlag { words.append(option.value) }
        }
        for download in unfinished {
            guard download.url.redacted == download.url.absoluteString else { return nil }
            words.append(download.url.absoluteString)
        }
        let text = words.map(Self.quoted).joined(separator: " ")
        return text.utf8.count <= Self.maximumBytes && text == text.sanitized ? text : nil
    }

    private static func isFlag(_ name: String) -> Bool {
        DownloadSettings.table[name: name].map { $0.valueName == nil } ?? false
    }

    /// The word with the quotes that a shell needs.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            $0.isLetter || $0.isDigit || "_@%+=:,./-".utf8.contains($0)
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.replacingASCII("'", with: "'\\''") + "'"
    }
}
