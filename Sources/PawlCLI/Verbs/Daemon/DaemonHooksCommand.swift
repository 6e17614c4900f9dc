internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon hooks`: what happens when a download of the daemon starts, finishes or fails.
struct DaemonHooksCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "hooks",
        abstract:
            "Show or change what happens when a download of the daemon starts, ends or fails.",
        discussion: """
            These hooks apply to all downloads of the daemon, including those added on its page or \
            over TCP. A hook that is given for one download replaces the daemon's hook of the same \
            kind. To turn off a hook, here or for one download, use none, --no-notify or \
            --no-unpack. A download's own --move rules are tried before the daemon's. Here, --move \
            replaces all earlier rules. The daemon remembers a change. A program receives the \
            details of the download in environment variables, such as PAWL_DOWNLOAD_PATH, and as \
            JSON on its standard input. Its output goes to the daemon's log.
            """
    )

    @OptionGroup var hooks: HookOptions

    @Flag(help: "Remove all hooks before applying the other options.")
    var reset = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let change = try change()
        // The daemon refuses such a change over TCP.
        if !change.isEmpty {
            try ChosenDaemon.checkIsOfThisMachine("pawl daemon hooks")
        }
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let settings =
                change.isEmpty ? try await client.settings() : try await client.change(change)
            let rules = settings.moveRules.map { (name: "move", value: Optional($0.text)) }
            console.output(.table(Self.rows(settings.hooks) + rules))
            return 0
        }
    }

    private static func rows(_ hooks: DownloadHooks) -> [(name: String, value: String?)] {
        [
            ("on-start", hooks.onStart?.text ?? "-"),
            ("on-complete", hooks.onComplete?.text ?? "-"),
            ("on-error", hooks.onError?.text ?? "-"),
            ("webhook", hooks.webhook?.redacted ?? "-"),
            ("notify", hooks.notifies == true ? "yes" : "no"),
            ("unpack", hooks.unpacks == true ? "yes" : "no"),
        ]
    }

    private func change() throws(DownloadError) -> DaemonSettingsChange {
        var change = DaemonSettingsChange()
        if reset {
            let members = [
                "onStart", "onComplete", "onError", "webhook", "notifies", "unpacks", "moveRules",
            ]
            for member in members {
                change[member: member] = .null
            }
        }
        try change.take(hooks.assignments)
        return change
    }
}
