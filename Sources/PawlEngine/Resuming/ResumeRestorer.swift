internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Opens the partial file that resume data describes, before the server is asked.
///
/// Its calls block.
struct ResumeRestorer: Sendable {
    let request: ResumeRequest
    private let job: DownloadJob
    private let storeSettings: StoreSettings
    private let stop: CancellationToken

    init(
        _ request: ResumeRequest,
        of job: DownloadJob,
        _ storeSettings: StoreSettings,
        _ stop: CancellationToken
    ) {
        (self.request, self.job) = (request, job)
        (self.storeSettings, self.stop) = (storeSettings, stop)
    }

    func restore(to final: FilePath) throws(DownloadError) -> RestoredStore {
        let content = request.data.content
        var facts = ResumeFacts()
        facts.method = content.method
        facts.representation = content.representation
        facts.receivedBytes = content.claimed.count
        facts.allowsWeakResume = job.settings.allowsWeakResume && !content.isImported
        if let obstacle = Resumability(facts).obstacle { return .obstacle(obstacle) }
        if let partial = partialFile {
            let found = try restore(content, at: partial, to: final)
            guard case .obstacle(.partialFileMissing) = found else { return found }
        }
        // An earlier use of the same data may have moved the file here.
        let own = DownloadPaths(final).partial
        let found = try restore(content, own: own, isGiven: false, to: final)
        if case .resumable = found { return found }
        return .obstacle(.partialFileMissing)
    }

    private func restore(
        _ content: ResumeContent,
        at partial: FilePath,
        to final: FilePath
    ) throws(DownloadError) -> RestoredStore {
        let isGiven = request.partialPath != nil
        guard content.isImported else {
            return try restore(content, own: partial, isGiven: isGiven, to: final)
        }
        return try PartialRestoration.takeOver(
            beginning: content.importedBytes,
            of: content.representation,
            source: job.url.redacted,
            at: target(partial, isGiven: isGiven, final),
            settings: storeSettings
        )
    }

    private func restore(
        _ content: ResumeContent,
        own partial: FilePath,
        isGiven: Bool,
        to final: FilePath
    ) throws(DownloadError) -> RestoredStore {
        try PartialRestoration.restore(
            Checkpoint(content),
            of: [content.url] + job.urls,
            at: target(partial, isGiven: isGiven, final),
            allowsWeakResume: job.settings.allowsWeakResume,
            settings: storeSettings
        )
    }

    private func target(
        _ partial: FilePath,
        isGiven: Bool,
        _ final: FilePath
    ) -> RestoreTarget {
        RestoreTarget(
            partial: partial,
            isGiven: isGiven,
            former: isGiven ? originalPartial : nil,
            final: final,
            numbered: { final.numbered($0) },
            onPiece: stop.check
        )
    }

    private var partialFile: FilePath? {
        request.partialPath.map { FilePath($0) } ?? originalPartial
    }

    /// The path in the data, unless its folder is not known: Apple's data may contain only a name.
    private var originalPartial: FilePath? {
        let path = FilePath(bytes: request.data.content.partialPath)
        return path.isAbsolute ? path : nil
    }
}
