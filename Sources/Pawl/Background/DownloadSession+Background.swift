package import PawlCore

/// What a library needs of a background session.
extension DownloadSession {
    /// The identifier of a background session; `nil` for other kinds.
    package var backgroundIdentifier: String? { link?.identifier }

    /// The reason why this process no longer has the background session; `nil` if it has.
    package var backgroundLoss: DownloadError? {
        guard case .lost(let error)? = link?.phase else { return nil }
        return error
    }

    /// Whether the events are reported that a background session had missed when it was opened;
    /// `true` for other kinds.
    package var hasReportedMissedEvents: Bool { link?.hasReplayed ?? true }

    /// Returns the download task of that number; `nil` if it has ended or is not known yet.
    package func knownTask(_ number: Int) -> DownloadTask? { task(number) as? DownloadTask }

    /// Returns the background session's task of that number; `nil` if it has ended, or the daemon
    /// does not have it.
    ///
    /// It waits until the tasks of the daemon are known, and starts the daemon if necessary.
    ///
    /// - Throws: `DownloadError` if the daemon cannot be reached, or another process has the
    ///   session.
    package func backgroundTask(_ number: Int) async throws(DownloadError) -> DownloadTask? {
        if let task = knownTask(number) { return task }
        switch await link?.settledPhase() {
        case .failed(let error), .lost(let error): throw error
        case .connecting: throw Self.detached
        case .attached, nil: return knownTask(number)
        }
    }

    /// Detaches this process from a background session, whose downloads the daemon continues.
    ///
    /// The tasks end here without effect on the daemon. Events that this process has not reported
    /// are reported to the next one. It has no effect on other kinds of sessions.
    package func detach() async {
        guard let link else { return }
        await link.detach(Self.detached)
        lost()
    }

    private static let detached = DownloadError(
        .interrupted,
        "this process no longer follows the session",
        advice: "the daemon continues the download: open the session again to follow it"
    )
}

extension SessionConfiguration.Kind {
    /// Whether the daemon runs the downloads.
    package var isBackground: Bool {
        if case .background = self { true } else { false }
    }
}
