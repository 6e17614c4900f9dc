internal import FoundationEssentials
internal import PawlCore

/// What is said after Ctrl-C on a terminal: the command that has the daemon go on with the rest.
///
/// It is a line to copy and no question: nothing waits for a key, and what is typed next belongs to
/// the shell.
package struct BackgroundOffer: Sendable {
    package var options: [OptionAssignment]
    /// Some came from a list, whose options a command line cannot say.
    package var hasList = false
    /// Options that hold for a run in front alone.
    package var leftOut: [String] = []

    package init(options: [OptionAssignment]) { self.options = options }

    private static let start = "In the background: "
    /// Nobody copies more.
    private static let mostBytes = 2000

    /// Nil where nothing is left to go on with.
    package func sentence(for rest: [DownloadOrder]) -> String? {
        guard !rest.isEmpty else { return nil }
        if let command = command(for: rest) { return Self.start + command }
        var text = Self.start + "the same command with --background"
        if !leftOut.isEmpty { text += " and without " + leftOut.joined(separator: ", ") }
        return text
    }

    /// The exact command; nil where it would be too long, or show a secret.
    private func command(for rest: [DownloadOrder]) -> String? {
        guard !hasList, rest.allSatisfy({ $0.settings.credentials == nil }) else { return nil }
        var words = ["pawl", "get", "--background"]
        for option in options where option.name != "no-resume" {
            guard !Self.mayBeSecret(option) else { return nil }
            words.append("--\(option.name)")
            if !Self.isFlag(option.name) { words.append(option.value) }
        }
        for order in rest {
            guard order.url.redacted == order.url.absoluteString else { return nil }
            words.append(order.url.absoluteString)
        }
        let text = words.map(Self.quoted).joined(separator: " ")
        return text.utf8.count <= Self.mostBytes && text == text.sanitized ? text : nil
    }

    private static func isFlag(_ name: String) -> Bool {
        DownloadSettings.table[name: name].map { $0.valueName == nil } ?? false
    }

    /// Of settings that may be secret, some values are known not to be.
    private static func mayBeSecret(_ option: OptionAssignment) -> Bool {
        guard DownloadSettings.table[name: option.name]?.isSecret ?? false else { return false }
        return switch option.name {
        case "header", "redirect-header":
            SecretField.isSecret(String(option.value.prefix { $0 != ":" }))
        case "mirror": AddressParts(option.value).redacted != option.value
        default: true
        }
    }

    /// As a shell takes it for one word.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_@%+=:,./-".utf8.contains(byte)
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
