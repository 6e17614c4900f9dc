internal import Pawl
internal import PawlCore
internal import PawlWire

/// The options of `pawl daemon start` and `restart` if this command did not start the daemon: it
/// was running already, or systemd or another command has started it.
struct UnappliedOptions: Sendable {
    private let settings: DaemonSettingsChange
    private let arguments: [String]

    /// Throws `.usage` if an option is invalid.
    init(_ options: DaemonOptions) throws(DownloadError) {
        settings = try options.settingsChange()
        // The address may contain a password.
        arguments = options.unsavedArguments + (options.store == nil ? [] : ["--store"])
    }

    /// Changes the settings that the options name, and reports the options that have no effect.
    ///
    /// Does nothing if this process started the daemon.
    func apply(
        to client: DaemonClient,
        after start: DaemonStart,
        _ console: Console
    ) async throws(DownloadError) {
        guard start != .byThis else { return }
        if !settings.isEmpty { _ = try await client.change(settings) }
        guard !arguments.isEmpty else { return }
        console.message(
            "'\(arguments.joined(separator: " ").sanitized)' has no effect, because this command did "
                + "not start the daemon. To apply it, use 'pawl daemon restart' with the same options."
        )
    }
}
