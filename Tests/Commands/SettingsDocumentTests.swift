import PawlCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SettingsDocumentTests {
    @Test func `docs settings md is the table of settings`() throws {
        try Snapshot.expect(document, matches: "settings.md", folder: "../../docs")
    }

    private var document: String {
        var text = """
            # Settings of a download

            Each setting has one name: with `--` it is the option of the command, without it the key below \
            a URL in an input list. *JSON* is the member in requests to the daemon ([http-api.md](http-api.md)).

            This page is made from `DownloadSettings.table` by a test: `PAWL_RECORD=1` writes it anew.

            | name | JSON | value | given by | changes while it runs | secret | meaning |
            | --- | --- | --- | --- | --- | --- | --- |

            """
        for setting in DownloadSettings.table.settings {
            let cells = [
                "`\(setting.name)`", setting.member.map { "`\($0)`" } ?? "as above",
                setting.valueName.map { "`\($0.replacing("|", with: "\\|"))`" } ?? "a flag",
                entries(setting.entries), setting.isChangeable ? "yes" : "",
                setting.isSecret ? "yes" : "", setting.about.replacing("|", with: "\\|"),
            ]
            text += "| \(cells.joined(separator: " | ")) |\n"
        }
        return text
    }

    private func entries(_ entries: SettingEntries) -> String {
        let names: [(SettingEntries, String)] = [
            (.command, "command"), (.list, "list"), (.library, "library"), (.socket, "socket"),
            (.network, "TCP"),
        ]
        return names.filter { entries.contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
