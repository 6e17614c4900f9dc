internal import ArgumentParser
internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl set`: changes downloads in the queue.
struct SetCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the settings of downloads in the queue.",
        discussion:
            "A running download continues with the new settings and keeps the bytes received so far."
    )

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The priority: low, normal or high.", valueName: "priority")
    )
    var priority: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Continue from another URL of the same file, for example because the old one has "
                + "expired. If the new URL is on another server, passwords, cookies and secret "
                + "headers are removed, unless --user and --header set them again.",
            valueName: "url"
        )
    )
    var url: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The label: a name, or none to remove it. The files stay in their folders.",
            valueName: "name"
        )
    )
    var label: String?

    @OptionGroup var settings: ChangedOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Rename the file to this name, in the same folder.",
            valueName: "name"
        )
    )
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Do not start or resume before this time: 22:00, '2026-11-22 22:00', +90m for 90 "
                + "minutes from now, or now to remove the start time.",
            valueName: "time"
        )
    )
    var notBefore: String?

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let selection = try targets.selection()
        let changes = try changes(console)
        guard !changes.isEmpty else {
            throw .usage(
                "no change is given",
                advice:
                    "use --priority, --label, --url, --header, --redirect-header, --bearer, --user, "
                    + "--connections, --limit, --name or --not-before"
            )
        }
        let json = targets.json
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let outcome = try await client.change(selection, changes)
            show(outcome, json: json, result: "changed", console)
            return 0
        }
    }

    private func changes(_ console: Console) throws(DownloadError) -> DownloadChanges {
        var changes = DownloadChanges()
        if let priority { changes.priority = try AddedDownloadOptions.priority(priority) }
        if let label {
            if label != LabelName.none { try LabelName.check(label) }
            changes.label = label == LabelName.none ? "" : label
        }
        if let url {
            try checkSingle("--url")
            _ = try SourceURL.read(url, at: "--url")
            changes.url = url
        }
        changes.settings = try settings.document(console)
        if let name {
            try checkSingle("--name")
            changes.name = name
        }
        if let notBefore {
            changes.notBefore =
                try AddCommand.startTime(notBefore) ?? Date(timeIntervalSince1970: 0)
        }
        return changes
    }

    private func checkSingle(_ option: String) throws(DownloadError) {
        guard targets.named.targets.count != 1 else { return }
        throw .usage("\(option) cannot be used with several downloads", advice: "name one download")
    }
}

/// Settings that can change while a download runs.
struct ChangedOptions: DownloadOptionGroup {
    @Option(
        setting: "header",
        help: "Send this header. It replaces all headers that were set earlier with --header or "
            + "--redirect-header. May be given several times."
    )
    var header: [String] = []

    @Option(
        setting: "redirect-header",
        help: "Like --header, but send the header to every server, including the servers of "
            + "redirects and mirrors. Do not use it for secrets."
    )
    var redirectHeader: [String] = []

    @Option(
        setting: "bearer",
        help: "Sign in with this token (Authorization: Bearer). It replaces all headers, as "
            + "--header does."
    )
    var bearer: [String] = []

    @Option(
        setting: "user",
        help: "Sign in with this name and password. If the password is left out, you are asked "
            + "for it."
    )
    var user: String?

    @Option(
        setting: "connections",
        help: "Connections per download, 1 to 64, or auto, which adds connections while the total "
            + "speed increases."
    )
    var connections: String?

    @Option(
        setting: "limit",
        help: "Maximum speed of each selected download, in bytes per second: off, or 500K, 1.5M "
            + "or 1G, where K is 1024."
    )
    var limit: String?

    /// The settings that the given options change.
    fileprivate func document(
        _ console: Console
    ) throws(DownloadError) -> SettingsDocument<DownloadSettings> {
        var options = DownloadOptions()
        for option in assignments { try options.apply(option) }
        var settings = options.settings
        if let missing = options.missingPassword {
            settings.credentials?.password = try missing.read(console)
        }
        var document = SettingsDocument<DownloadSettings>()
        for option in assignments { document.take(option.name, from: settings) }
        return document
    }
}
