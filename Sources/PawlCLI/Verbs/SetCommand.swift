internal import ArgumentParser
internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl set`: changes downloads that are there.
struct SetCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change downloads of the daemon.",
        discussion: "One that runs goes on with what is new, behind what has come."
    )

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("low, normal or high.", valueName: "priority")
    )
    var priority: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The same file at another address, where the old one has expired. For another server, "
                + "passwords, cookies and secret headers are dropped, unless --user and --header "
                + "give them again.",
            valueName: "url"
        )
    )
    var url: String?

    @OptionGroup var settings: ChangedOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What the file is to be called, in its folder.", valueName: "name")
    )
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Do not go on before that: 22:00, '2026-11-22 22:00', +90m, now.",
            valueName: "time"
        )
    )
    var notBefore: String?

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let selection = try targets.selection()
        let changes = try changes(console)
        guard !changes.isEmpty else {
            throw DownloadError(
                .usage,
                "nothing is to be changed",
                advice:
                    "give --priority, --url, --header, --redirect-header, --user, --connections, "
                    + "--limit, --name or --not-before"
            )
        }
        let (asked, json) = (changes, targets.json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let outcome = try await client.change(selection, asked)
            show(outcome, json: json, said: "changed", console)
            return 0
        }
    }

    private func changes(_ console: Console) throws(DownloadError) -> DownloadChanges {
        var changes = DownloadChanges()
        if let priority { changes.priority = try AddCommand.priority(priority) }
        if let url {
            try checkSingle("--url")
            _ = try readSource(url, place: "--url")
            changes.url = url
        }
        changes.settings = try settings.document(console)
        if let name {
            try checkSingle("--name")
            changes.name = name
        }
        if let notBefore {
            changes.notBefore = try AddCommand.begin(notBefore) ?? Date(timeIntervalSince1970: 0)
        }
        return changes
    }

    private func checkSingle(_ option: String) throws(DownloadError) {
        guard targets.all || targets.targets.count > 1 else { return }
        throw DownloadError(
            .usage,
            "\(option) for several downloads",
            advice: "name one download"
        )
    }
}

/// Settings that can change while a download runs.
struct ChangedOptions: OrderOptions {
    @Option(
        setting: "header",
        help: "Send this header instead of all earlier ones, including those of "
            + "--redirect-header. May be given several times."
    )
    var header: [String] = []

    @Option(
        setting: "redirect-header",
        help: "Like --header, but send it to every server, including those of redirects and "
            + "mirrors; not for secrets."
    )
    var redirectHeader: [String] = []

    @Option(
        setting: "user",
        help: "Sign in with this name and password. If the password is left out, you are asked "
            + "for it."
    )
    var user: String?

    @Option(setting: "connections") var connections: String?
    @Option(setting: "limit") var limit: String?

    /// Those that are given.
    fileprivate func document(
        _ console: Console
    ) throws(DownloadError) -> SettingsDocument<DownloadSettings> {
        var settings = OrderSettings()
        var given = SettingsDocument<DownloadSettings>()
        for option in assignments { try settings.apply(option) }
        if settings.passwordIsMissing, let name = settings.settings.credentials?.name {
            settings.settings.credentials?.password = try PasswordPrompt.ask(
                for: name,
                console: console
            )
        }
        for option in assignments { given.take(option.name, from: settings.settings) }
        return given
    }
}
