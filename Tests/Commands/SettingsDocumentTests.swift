import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SettingsDocumentTests {
    @Test func `docs settings md is made of the tables of settings`() throws {
        let text = """
            # Settings

            Each line of the tables describes one setting, with its name in each place where it can be given. A test writes
            this page from the tables of settings in the code: run it with `PAWL_RECORD=1`.

            ## Settings of a download

            - *Option*: the option of the command. Without `--`, it is the key below a URL in an input list.
            - *Swift*: the property of `DownloadSettings`. The meaning of a true-or-false setting describes this property.
            - *Given by config*: the setting can be a key of the config file (`pawl config --help`) and an environment
              variable, such as `PAWL_STALL_TIMEOUT` for `--stall-timeout`. A variable with several values has one per line.
              The config file and the variables can also contain `directory` and `header-file` and, for all hosts, `jobs`,
              `total-limit`, `progress` and the options of the daemon ([daemon.md](daemon.md#from-another-machine));
              `checksum` can only be `none`. In the file, a command can supply a secret: `bearer-command` for `bearer`,
              `password-command` for the password of `user`, and so on.
            - *JSON*: the member in requests to the daemon ([http-api.md](http-api.md)), and in encoded `DownloadSettings`.

            \(SettingsReference.markdown(DownloadSettings.table, hasProperties: true))
            ## Settings of the daemon

            `pawl limit`, `pawl daemon allow` and `pawl daemon run` have these options.

            \(SettingsReference.markdown(DaemonSettings.table, hasProperties: false))
            """
        try Snapshot.expect(text, matches: "settings.md", folder: "../../docs")
    }
}

/// The reference of a table of settings.
enum SettingsReference {
    static func markdown<Root>(_ table: SettingTable<Root>, hasProperties: Bool) -> String {
        var rows = [
            [
                "option", "Swift", "JSON", "value", "given by", "changes while it runs", "secret",
                "meaning",
            ]
        ]
        rows.append(rows[0].map { _ in "---" })
        for setting in table.settings {
            let isTyped = !setting.entries.isDisjoint(with: [.command, .list])
            rows.append([
                isTyped ? "`--\(setting.name)`" : "",
                setting.entries.contains(.library) ? "`\(property(setting))`" : "",
                setting.member.map { "`\($0)`" } ?? "as above",
                setting.valueName.map { "`\($0.replacing("|", with: "\\|"))`" } ?? flag(setting),
                entries(setting.entries), setting.isChangeable ? "yes" : "",
                setting.isSecret ? "yes" : "", setting.about.replacing("|", with: "\\|"),
            ])
        }
        return rows.map { (row) in
            let cells = row.enumerated().filter { hasProperties || $0.offset != 1 }.map(\.element)
            return "| \(cells.joined(separator: " | ")) |\n"
        }.joined()
    }

    /// The path of the property, such as `connection.userAgent`.
    private static func property<Root>(_ setting: Setting<Root>) -> String {
        "\(setting.path)".split(separator: ".").dropFirst().joined(separator: ".")
    }

    /// The value that an option without a text sets; what others write is true or false.
    private static func flag<Root: TabledSettings>(_ setting: Setting<Root>) -> String {
        guard !setting.entries.isDisjoint(with: [.command, .list]) else { return "true or false" }
        var settings = Root()
        guard (try? setting.parse(&settings, "true")) != nil else { return "true or false" }
        return setting.encode(settings) == false
            ? "true or false; the option sets false" : "true or false; the option sets true"
    }

    private static func entries(_ entries: SettingEntries) -> String {
        let names: [(SettingEntries, String)] = [
            (.command, "command"), (.list, "list"), (.config, "config"), (.library, "library"),
            (.socket, "socket"),
            (.network, "TCP"),
        ]
        return names.filter { entries.contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
