internal import PawlCore
internal import PawlWire

/// A notification on the desktop about a download that has ended.
///
/// The specification is that of `org.freedesktop.Notifications`; the program `busctl` of systemd
/// or `notify-send` of libnotify calls it.
struct DesktopNotification: Sendable {
    let title: String
    /// The text below the title, without markup.
    let text: String
    let isFailure: Bool

    init(_ facts: HookFacts) {
        isFailure = facts.event == .error
        title = isFailure ? "Download failed" : "Download complete"
        text = isFailure ? "\(facts.name): \(facts.problem?.title ?? "")" : facts.name
    }

    /// The commands to try; the first one that succeeds is enough.
    var commands: [[String]] {
        let name = "org.freedesktop.Notifications"
        let markup = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
        return [
            [
                "busctl", "--user", "--quiet", "--timeout=5", "--", "call", name,
                "/org/freedesktop/Notifications", name, "Notify", "susssasa{sv}i", "Pawl", "0",
                isFailure ? "dialog-error" : "emblem-downloads", title, markup, "0", "1",
                "urgency", "y", isFailure ? "2" : "1", "-1",
            ],
            [
                "notify-send", "--app-name=Pawl",
                "--urgency=\(isFailure ? "critical" : "normal")", "--", title, markup,
            ],
        ]
    }

    /// Shows the notification.
    ///
    /// Returns how the last program ended.
    ///
    /// - Parameter output: The file for what the programs print.
    func show(_ output: Int32) async -> ProgramRun.End {
        var end = ProgramRun.End(status: 1, text: "was not shown")
        for command in commands {
            var run = ProgramRun(command)
            run.output = output
            run.timeLimit = .seconds(10)
            end = await run.run()
            if end.isSuccess { return end }
        }
        return end
    }
}
