internal import Logging
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Opens the partial file of a download.
struct FileOpening: TargetOpening {
    private let parts: DownloadParts
    /// What was found before the server was asked, if that was done already.
    private let found: Result<TargetResolver.Found, DownloadError>?

    init(_ parts: DownloadParts, found: Result<TargetResolver.Found, DownloadError>?) {
        (self.parts, self.found) = (parts, found)
    }

    private var job: DownloadJob { parts.job }
    private var engine: Engine { parts.engine }

    var expectedName: String { parts.resolver.expected.lastComponent?.string ?? "" }

    func findBeforeAsking() async throws(DownloadError) -> TargetFinding {
        if let found { return try await finding(found.get()) }
        let resolver = parts.resolver
        // A partial file on another file system is copied. Checkpoints must not wait for that.
        let pool = job.resume == nil ? engine.disk : engine.syncs
        let found = try await pool.run { () throws(DownloadError) in
            try resolver.findBeforeAsking()
        }
        return try await finding(found)
    }

    private func finding(
        _ found: TargetResolver.Found
    ) async throws(DownloadError) -> TargetFinding {
        switch found {
        case .nothing(let notes, let absent): return .nothing(notes: notes, absent: absent)
        case .created(let store, let notes): return .created(store, notes: notes)
        case .resumable(let store, let recovery): return .resumable(store, recovery)
        case .undecided, .likely: return .nothing(notes: [], absent: nil)
        case .alreadyThere(let path):
            let size = try await engine.disk.run { () throws(DownloadError) in
                try ExistingFile.size(path)
            }
            return .alreadyThere(FinishedTarget(path, size: size, wasThere: true))
        }
    }

    /// Finds the existing files under the name that the head supplies, comparing them if necessary.
    func open(
        _ response: TargetResponse,
        drop: () async -> Void
    ) async throws(DownloadError) -> TargetFinding {
        // The user's callback may block for any time, and is called only once.
        guard job.choosesDestination == nil else {
            return try await finding(find(response, .init(), engine.choices))
        }
        let isFile = job.settings.asksForFile
        var comparison = FinishedFileSearch.Comparison(readsFiles: false, asksForSamples: isFile)
        var connection = SampleComparison.Connection.additional
        var pool = engine.disk
        while true {
            let found = try await find(response, comparison, pool)
            switch found {
            case .undecided:
                // Reading a large file takes long. Checkpoints must not wait for that.
                comparison.readsFiles = true
                pool = engine.digests
            case .likely(let path):
                let samples = SampleComparison(
                    response.head,
                    response.representation,
                    parts.requests,
                    engine: engine
                )
                guard let isEqual = await samples.matches(path, over: connection) else {
                    await drop()
                    connection = .own
                    continue
                }
                // A comparison that was interrupted proves nothing: the file is neither the
                // server's nor another one, beside which this download could begin.
                if !isEqual { try parts.stop.check() }
                comparison.sampled[path] = isEqual
                if isEqual {
                    parts.logger.notice(
                        "\(path) exists: its URL, length and two samples match the server's file"
                    )
                }
            default: return try await finding(found)
            }
        }
    }

    private func find(
        _ response: TargetResponse,
        _ comparison: FinishedFileSearch.Comparison,
        _ pool: BlockingPool
    ) async throws(DownloadError) -> TargetResolver.Found {
        let resolver = parts.resolver
        return try await pool.run { () throws(DownloadError) in
            try resolver.open(
                response.head,
                response.representation,
                response.digest,
                source: response.source,
                comparison: comparison
            )
        }
    }

    func openBeside(
        _ other: any TargetStore,
        _ representation: Representation,
        source: String
    ) async throws(DownloadError) -> TargetFinding {
        let (resolver, wanted) = (parts.resolver, try other.file().paths.wanted)
        let found = try await engine.disk.run { () throws(DownloadError) in
            try resolver.openBeside(wanted, representation, source: source)
        }
        return try await finding(found)
    }

    func mark(for store: any TargetStore) -> SourceMark? {
        store.partialFile.map { parts.resolver.mark(for: $0) }
    }
}
