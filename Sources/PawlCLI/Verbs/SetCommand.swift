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

    @Option(
        name: [.customShort("H", allowingJoined: true), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send this header instead of all earlier ones, including those of --redirect-header. "
                + "May be given several times.",
            valueName: "line"
        )
    )
    var header: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Like --header, but send it to every server, including those of redirects and mirrors; "
                + "not for secrets.",
            valueName: "line"
        )
    )
    var redirectHeader: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sign in with this name and password. If the password is left out, you are asked for it.",
            valueName: "name:password"
        )
    )
    var user: String?

    @Option(
        name: [.customShort("x", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Connections, 1 to 64.", valueName: "n")
    )
    var connections: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The most that it may bring, in bytes a second, as 500K or 1.5M; or off.",
            valueName: "rate"
        )
    )
    var limit: String?

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
        var changes = try changes()
        changes.credentials = try credentials(console)
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

    private func changes() throws(DownloadError) -> DownloadChanges {
        var changes = DownloadChanges()
        if let priority { changes.priority = try AddCommand.priority(priority) }
        if let url {
            try checkSingle("--url")
            _ = try readSource(url, place: "--url")
            changes.url = url
        }
        let fields =
            try Self.fields(header, "--header")
            + Self.fields(redirectHeader, "--redirect-header", forAnyOrigin: true)
        if !fields.isEmpty { changes.fields = fields }
        if let connections {
            changes.connections = try usage("--connections") { () throws(ValueError) in
                try NumberText.count(connections, in: 1...64)
            }
        }
        if let limit {
            changes.limitBytesPerSecond = try usage("--limit") { () throws(ValueError) in
                try NumberText.limit(limit) ?? 0
            }
        }
        if let name {
            try checkSingle("--name")
            changes.name = name
        }
        if let notBefore {
            changes.notBefore = try AddCommand.begin(notBefore) ?? Date(timeIntervalSince1970: 0)
        }
        return changes
    }

    private static func fields(
        _ lines: [String],
        _ option: String,
        forAnyOrigin: Bool = false
    ) throws(DownloadError) -> [WireSettings.Field] {
        try usage(option) { () throws(ValueError) in
            var fields: [WireSettings.Field] = []
            for line in lines {
                fields.append(
                    WireSettings.Field(try HeaderLine.parse(line, forAnyOrigin: forAnyOrigin))
                )
            }
            return fields
        }
    }

    private func credentials(_ console: Console) throws(DownloadError) -> WireSettings.SignIn? {
        guard let user else { return nil }
        let parsed = try usage("--user") { () throws(ValueError) in try UserText.parse(user) }
        guard let password = parsed.password else {
            let asked = try PasswordPrompt.ask(for: parsed.name, console: console)
            return WireSettings.SignIn(name: parsed.name, password: asked)
        }
        return WireSettings.SignIn(name: parsed.name, password: password)
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
