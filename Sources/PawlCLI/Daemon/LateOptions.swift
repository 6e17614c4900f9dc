internal import Pawl
internal import PawlCore
internal import PawlWire

/// The options of `pawl daemon start` and `restart` for a daemon that was not started with them, because
/// it ran already, or because systemd or another command was faster.
struct LateOptions: Sendable {
    private let settings: DaemonSettingsChange?
    private let words: [String]

    /// Throws `.usage` where one is wrong.
    init(_ options: DaemonOptions) throws(DownloadError) {
        settings = DaemonSettingsChange(listen: try options.listenChoice())
        words = options.processWords
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
        if let settings { _ = try await client.change(settings) }
        guard !words.isEmpty else { return }
        console.message(
            "The daemon runs without '\(words.joined(separator: " ").sanitized)': it was not started "
                + "by this command."
        )
    }
}
