package import PawlCore

/// What an index knows about one key.
extension LibraryIndex {
    package struct Entry: Sendable {
        package var file: KnownFile?
        package var download: Download?
    }

    /// An unfinished download.
    package struct Download: Sendable {
        package enum Phase: Sendable {
            case running(RunID)
            /// The run was asked to end.
            case stopping(RunID, Stop)
            /// The user is asked for another URL after this error.
            case renewing(RunID, DownloadError)
            case paused
            case failed(DownloadError)
        }

        package enum Stop: Hashable, Sendable {
            case pause, discard, restart
        }

        package var pending: PendingDownload
        package var phase: Phase
        package var renewal = LinkRenewal()
        /// The number of callers that wait for the file.
        package var waiters = 0
        /// Whether somebody wants the file without waiting for it.
        package var isDetached = false
        /// Whether somebody has requested the current run, or joined it; otherwise it only follows
        /// what the daemon does.
        package var isRequested = false
        /// Whether somebody can be asked for another URL.
        package var renews = false
        /// Whether this library has started the download, so that its note contains nothing new.
        package var isOwn = false
        /// The file that the new one replaces, as it was when that was requested.
        var replaced: KnownFile?
        /// The names under which another process may have put the file.
        var mayBeAt: [ExactText] = []
        /// Whether its URL differs from the one in its note.
        var hasNewURL = false
        /// A change under its name during the run.
        var missed: Missed?

        package var run: RunID? {
            switch phase {
            case .running(let run), .stopping(let run, _), .renewing(let run, _): run
            case .paused, .failed: nil
            }
        }
    }

    /// A change in the folder under a running download's name.
    ///
    /// It is checked when the run ends.
    struct Missed: Sendable {
        /// The file's stamp; `nil` if the file was gone.
        var stamp: FileStamp?
    }
}

extension LibraryIndex.Download {
    /// Creates a download that this library has not started.
    package init(found pending: PendingDownload) {
        self.pending = pending
        phase = pending.failure.map { .failed($0.error) } ?? .paused
    }
}
