/// What happens when a download starts, finishes or fails.
package struct DownloadHooks: Sendable, Hashable {
    /// The program to run when the download starts.
    package var onStart: HookCommand?
    /// The program to run when the file is complete.
    package var onComplete: HookCommand?
    /// The program to run when the download has failed.
    package var onError: HookCommand?
    /// The URL that gets a POST request when the download finishes or fails.
    package var webhook: Webhook?
    /// Whether the desktop shows a notification when the download finishes or fails; `nil` if a
    /// more general level decides.
    package var notifies: Bool?
    /// Whether a finished archive is unpacked into a folder beside it; `nil` if a more general
    /// place decides.
    package var unpacks: Bool?

    package init() {}

    package var isEmpty: Bool { self == DownloadHooks() }

    /// Returns these hooks, and those of a more general level where these have no value.
    package func over(_ general: DownloadHooks) -> DownloadHooks {
        var hooks = self
        hooks.onStart = onStart ?? general.onStart
        hooks.onComplete = onComplete ?? general.onComplete
        hooks.onError = onError ?? general.onError
        hooks.webhook = webhook ?? general.webhook
        hooks.notifies = notifies ?? general.notifies
        hooks.unpacks = unpacks ?? general.unpacks
        return hooks
    }

    /// The program for an event; `nil` if there is none.
    package func command(for event: HookEvent) -> HookCommand? {
        let command =
            switch event {
            case .start: onStart
            case .complete: onComplete
            case .error: onError
            }
        return command?.words.isEmpty == false ? command : nil
    }
}
