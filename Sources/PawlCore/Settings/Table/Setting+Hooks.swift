internal import struct FoundationEssentials.URL

extension Setting {
    /// Returns the rows of ``DownloadHooks``.
    package static func hooks(
        _ onStart: any WritableKeyPath<Root, HookCommand?> & Sendable,
        _ onComplete: any WritableKeyPath<Root, HookCommand?> & Sendable,
        _ onError: any WritableKeyPath<Root, HookCommand?> & Sendable,
        _ webhook: any WritableKeyPath<Root, Webhook?> & Sendable,
        _ notifies: any WritableKeyPath<Root, Bool?> & Sendable,
        _ unpacks: any WritableKeyPath<Root, Bool?> & Sendable,
        entries: SettingEntries
    ) -> [Setting] {
        [
            command("on-start", member: "onStart", onStart, entries, "a download starts"),
            command("on-complete", member: "onComplete", onComplete, entries, "a file is complete"),
            command("on-error", member: "onError", onError, entries, "a download has failed"),
            Setting(
                "webhook",
                member: "webhook",
                webhook,
                SettingForm<Webhook>.webhook.optional(),
                entries: entries,
                isSecret: true,
                help: """
                    When a download finishes or fails, send a POST request with JSON about it to \
                    this URL; none sends nothing.
                    """
            ),
            Setting(
                "notify",
                member: "notifies",
                notifies,
                SettingForm<Bool>.flag().optional(),
                entries: entries,
                help: "When a download finishes or fails, show a notification on the desktop.",
                about: """
                    Whether the desktop shows a notification when a download finishes or fails. \
                    By default, it does not.
                    """
            ),
            Setting(
                "unpack",
                member: "unpacks",
                unpacks,
                SettingForm<Bool>.flag().optional(),
                entries: entries,
                needsFile: { $0 == true },
                help: """
                    Unpack a finished archive into a new folder beside it, with bsdtar; the archive \
                    is kept.
                    """,
                about: """
                    Whether a finished archive is unpacked into a new folder beside it, with \
                    bsdtar. By default, it is not.
                    """
            ),
        ]
    }

    private static func command(
        _ name: String,
        member: String,
        _ path: any WritableKeyPath<Root, HookCommand?> & Sendable,
        _ entries: SettingEntries,
        _ when: String
    ) -> Setting {
        Setting(
            name,
            member: member,
            path,
            SettingForm<HookCommand>.command.optional(),
            entries: entries,
            isSecret: true,
            help: """
                When \(when), run this program with these arguments, without a shell; none runs \
                nothing.
                """,
            about: """
                The program to run when \(when), and its arguments; an empty list runs nothing.
                """
        )
    }
}

extension SettingForm where Value == Webhook {
    /// The URL of an HTTP server, which may have a name and password for it, or `none`.
    static let webhook: SettingForm = {
        var form = SettingForm.parsed("url", text: \.text) { (text) throws(ValueError) in
            text == Webhook.noneText ? .none : Webhook(try SettingForm<URL>.mirror.parse(text))
        }
        // A stored value is not refused: a download that has one must stay readable.
        let read = form.parse
        form.parse = { (text) throws(ValueError) in
            let webhook = try read(text)
            if let url = webhook.url, ![.http, .https].contains(URLScheme(of: url.scheme)) {
                throw ValueError(
                    "'\(webhook.redacted)' is not the URL of a webhook",
                    advice: "give a URL with http or https"
                )
            }
            return webhook
        }
        return form
    }()
}

extension SettingForm where Value == HookCommand {
    /// The words of a command: one text for a user, a list in JSON.
    static let command = SettingForm(
        schema: ["type": "array", "items": ["type": "string"]],
        valueName: "command",
        parse: { (text) throws(ValueError) in try HookCommand(parsing: text) },
        decode: { (value) throws(ValueError) in
            guard case .list(let items) = value else {
                throw ValueError("'\(value.brief)' is not a list", advice: "give a list of words")
            }
            var words: [String] = []
            for item in items {
                guard case .text(let word) = item else {
                    throw ValueError("'\(item.brief)' is not a text", advice: "use strings")
                }
                words.append(word)
            }
            return try HookCommand(words)
        },
        encode: { .list($0.words.map { .text($0) }) }
    )
}
