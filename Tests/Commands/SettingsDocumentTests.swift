import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SettingsDocumentTests {
    @Test func `docs settings md is made of the tables of settings`() throws {
        let text = """
            # Settings

            Each setting has one name. *JSON* is the member in requests to the daemon ([http-api.md](http-api.md)).
            A test writes this page from the tables of settings: run it with `PAWL_RECORD=1`.

            ## Settings of a download

            With `--` the name is the option of the command; without it, the key below a URL in an input list.

            \(SettingsReference.markdown(DownloadSettings.table))
            ## Settings of the daemon

            `pawl limit`, `pawl daemon allow` and `pawl daemon run` have these options.

            \(SettingsReference.markdown(DaemonSettings.table))
            """
        try Snapshot.expect(text, matches: "settings.md", folder: "../../docs")
    }
}

/// The reference of a table of settings.
enum SettingsReference {
    static func markdown<Root>(_ table: SettingTable<Root>) -> String {
        var text = """
            | name | JSON | value | given by | changes while it runs | secret | meaning |
            | --- | --- | --- | --- | --- | --- | --- |

            """
        for setting in table.settings {
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

    private static func entries(_ entries: SettingEntries) -> String {
        let names: [(SettingEntries, String)] = [
            (.command, "command"), (.list, "list"), (.library, "library"), (.socket, "socket"),
            (.network, "TCP"),
        ]
        return names.filter { entries.contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
