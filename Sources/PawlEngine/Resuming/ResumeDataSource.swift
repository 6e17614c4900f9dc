package import PawlCore
internal import PawlStorage
internal import Synchronization
package import SystemPackage
package import struct FoundationEssentials.URL

/// Knows at any time from which data a download could be resumed later, or why it could not.
final class ResumeDataSource: Sendable {
    private struct State {
        var job: DownloadJob?
        /// The store while the download runs.
        var store: (any TargetStore)?
        /// What a download left when it ended.
        var left: KeptBytes?

        var kept: KeptBytes? { store?.kept ?? left }
        var facts = ResumeFacts()
        var hasEnded = false
    }

    private let state = Mutex(State())

    func began(_ job: DownloadJob) {
        state.withLock { state in
            state.job = job
            state.hasEnded = false
            state.facts.obstacle = nil
            state.facts.allowsWeakResume = job.settings.allowsWeakResume
        }
    }

    /// Records the opened store, which replaces the state of an earlier run.
    func opened(_ store: any TargetStore) {
        state.withLock { state in
            state.store = store
            state.left = nil
        }
    }

    func learned(_ representation: Representation?, acceptsRanges: Bool?) {
        state.withLock { state in
            state.facts.representation = representation
            state.facts.acceptsRanges = acceptsRanges
        }
    }

    func met(_ obstacle: ResumeObstacle) { state.withLock { $0.facts.obstacle = obstacle } }

    /// Releases the store, so that its file is closed even if this object is used longer.
    func ended() {
        state.withLock { state in
            state.hasEnded = true
            guard let store = state.store else { return }
            state.store = nil
            state.left = store.kept
        }
    }

    /// Returns whether the download can be resumed.
    ///
    /// `writtenBytes` is the number of bytes written so far, claimed or not.
    func resumability(writtenBytes: Int64) -> Resumability {
        state.withLock { Self.resumability($0, writtenBytes) }
    }

    private static func resumability(_ state: State, _ writtenBytes: Int64) -> Resumability {
        let kept = state.kept
        let claimed = kept?.count ?? 0
        var facts = state.facts
        facts.receivedBytes = state.hasEnded ? claimed : max(claimed, writtenBytes)
        // What was learned last may describe a version whose bytes were discarded since.
        if let kept { facts.representation = kept.representation }
        return Resumability(facts)
    }

    /// The resume data as of the last checkpoint; `nil` if there is no checkpoint or it would be of
    /// no use, or if the target is not a file.
    var resumeData: ResumeData? {
        state.withLock { state in
            guard let job = state.job, let (checkpoint, paths) = state.kept?.file,
                Self.resumability(state, 0).obstacle == nil
            else { return nil }
            var content = ResumeContent(job.url, job.settings, checkpoint, of: paths)
            content.storageKey = job.storageKey
            if job.isTemporary { content.finalPath = [] }
            return ResumeData(content)
        }
    }
}

extension DownloadMonitor {
    /// Whether the download could be resumed if it were cancelled now.
    package var resumability: Resumability {
        resuming.resumability(writtenBytes: bytes.written.count)
    }

    /// The data to resume from later, as of the last checkpoint; after the end, for all bytes that
    /// were kept.
    package var resumeData: ResumeData? { resuming.resumeData }

    /// Adds the resume data to the error, or the reason why there is none.
    func completed(_ error: DownloadError) -> DownloadError {
        var error = error
        if let obstacle = error.resumeObstacle {
            resuming.met(obstacle)
        } else if let data = resumeData {
            error.resumeData = data
        } else {
            error.resumeObstacle = resumability.obstacle
        }
        return error
    }
}

extension ResumeContent {
    fileprivate init(
        _ url: URL,
        _ settings: DownloadSettings,
        _ checkpoint: Checkpoint,
        of paths: DownloadPaths
    ) {
        self.init(url: url)
        setRequest(settings)
        take(checkpoint, of: paths)
    }
}

extension ResumeData {
    /// Creates resume data from the files on disk beside a planned file; `nil` if there are none
    /// that can be used.
    ///
    /// It blocks.
    package init?(ofFile path: FilePath, _ url: URL, _ settings: DownloadSettings) {
        let paths = DownloadPaths(path)
        guard let summary = try? CheckpointSummary.read(paths.partial), !summary.usable.isEmpty
        else { return nil }
        let content = ResumeContent(url, settings, summary.checkpoint, of: summary.paths)
        var facts = ResumeFacts()
        facts.representation = summary.checkpoint.representation
        facts.receivedBytes = summary.usable.count
        facts.allowsWeakResume = settings.allowsWeakResume
        guard Resumability(facts).obstacle == nil else { return nil }
        self.init(content)
    }
}
