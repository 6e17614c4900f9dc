internal import struct FoundationEssentials.URL
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Determines which file a download becomes, and which files exist already.
///
/// Its calls block.
struct TargetResolver: Sendable {
    let url: URL
    private let destination: Destination
    private let choice: DestinationChoice?
    private let settings: DownloadSettings
    private let storeSettings: StoreSettings
    /// Opens the partial file of the data to resume from, wherever that is.
    private let restorer: ResumeRestorer?
    /// The key that is recorded with the file.
    private let storageKey: String?
    private let search: PartialSearch
    private let finishedFiles: FinishedFileSearch
    /// Finds the file that an earlier run has moved; `nil` if the file is not moved.
    private let movedFiles: MovedFileSearch?
    /// The expected path before the server has responded.
    let expected: FilePath

    init(_ job: DownloadJob, _ engine: Engine, _ stop: CancellationToken) {
        let storeSettings = engine.storeSettings
        url = job.identity
        destination = job.destination
        choice = job.choosesDestination
        settings = job.settings
        restorer = job.resume.map { ResumeRestorer($0, of: job, storeSettings, stop) }
        storageKey = job.storageKey
        search = PartialSearch(job, engine.numberedPartials, engine.takenNames)
        finishedFiles = FinishedFileSearch(search, stop)
        movedFiles = MovedFileSearch(job, search, stop)
        self.storeSettings = storeSettings
        expected =
            switch job.destination {
            case .file(let path): FilePath(path)
            // The target of an object needs no path.
            case .object: FilePath("")
            case .directory(let folder):
                FilePath(folder).appending(
                    FileName.suggested(contentDisposition: nil, url: job.url, mediaType: nil)
                )
            }
    }

    /// What exists before the server was asked.
    enum Found: Sendable {
        /// Nothing to resume.
        ///
        /// `notes` are for the log and name the files that were set aside; `absent` is a path with
        /// neither a file nor a partial one.
        case nothing(notes: [String], absent: FilePath?)
        case alreadyThere(FilePath)
        case created(PartialStore, notes: [String])
        case resumable(PartialStore, Recovery)
        /// There is a file that must be read first.
        case undecided
        /// There is a file that came from this URL and has the same length; samples will decide.
        case likely(FilePath)
    }

    /// Finds the files of an earlier run under the name that is known before the server is asked.
    func findBeforeAsking() throws(DownloadError) -> Found {
        guard choice == nil else { return .nothing(notes: [], absent: nil) }
        try Self.check(destination)
        let path = expected
        try FolderPreparation.prepare(path.removingLastComponent())
        let presence = try ExistingFile.presence(at: path)
        let isThere = presence != .nothing
        if isThere, case .file = destination {
            if presence == .folder { throw DownloadError(.isDirectory, while: .create, path) }
            if settings.ifExists == .skip, presence == .file { return .alreadyThere(path) }
            if settings.ifExists == .fail { throw PartialSearch.exists(path) }
        }
        guard let restorer else {
            return try findBeforeAsking(path, isThere: isThere, notes: [])
        }
        switch try restorer.restore(to: path) {
        case .resumable(let store, let recovery): return .resumable(store, recovery)
        case .obstacle(let obstacle):
            guard restorer.request.fallback == .startOver else { throw DownloadError(obstacle) }
            // An existing file may be the complete one.
            let next = isThere ? "checking the existing file" : "starting over"
            let note = "the resume data cannot be used: \(obstacle.description); \(next)"
            return try findBeforeAsking(path, isThere: isThere, notes: [note])
        }
    }

    private func findBeforeAsking(
        _ path: FilePath,
        isThere: Bool,
        notes: [String]
    ) throws(DownloadError) -> Found {
        // The file's number is known only when it is known whether this is a different file.
        guard !isThere || settings.ifExists == .overwrite else {
            return .nothing(notes: notes, absent: nil)
        }
        let result = try search.examine(path)
        switch try recover(result, Representation()) {
        case .resumable(let store, var recovery):
            guard !isThere || !recovery.have.isEmpty else {
                // The finished file may be this download's: a process that ends between renaming a
                // file and removing its checkpoint leaves the checkpoint.
                store.close()
                return .nothing(notes: notes, absent: nil)
            }
            recovery.notes = notes + recovery.notes
            return .resumable(store, recovery)
        case .nothing(let said):
            let isFree = result.isFree && result.own == nil && !isThere
            return .nothing(notes: notes + said, absent: isFree ? path : nil)
        case .foreignPartial: return .nothing(notes: notes, absent: nil)
        }
    }

    /// Opens the store for the server's response: an earlier run's or a new one.
    ///
    /// `source` is recorded in the checkpoint. `absent` is a path at which, with its numbers,
    /// nothing existed before the server was asked.
    func open(
        _ head: ResponseHead,
        _ representation: Representation,
        _ digest: ContentDigest?,
        source: String,
        absent: FilePath? = nil,
        comparison: FinishedFileSearch.Comparison = .init()
    ) throws(DownloadError) -> Found {
        let (final, passesOverFolders) = try chosen(by: head)
        let moved = { (number: Int) throws(DownloadError) -> Found? in
            try findMoved(final, number, head, representation, digest, comparison)
        }
        if final == absent, try isStillFree(final) {
            if let found = try moved(0) { return found }
            let store = try create(DownloadPaths(final), representation, source)
            return .created(store, notes: [])
        }
        try FolderPreparation.prepare(final.removingLastComponent())
        let choice = try finishedFiles.choose(
            final,
            representation,
            digest,
            comparison,
            passesOverFolders: passesOverFolders
        )
        switch choice {
        case .undecided: return .undecided
        case .likely(let path): return .likely(path)
        case .kept(let path): return .alreadyThere(path)
        case .same(let path):
            removeLeftover(of: final)
            return .alreadyThere(path)
        case .open(let number, let last):
            if let found = try moved(number) { return found }
            let result = try search.examine(final, atLeast: last)
            let found = try recover(result, representation)
            if case .resumable(let store, let recovery) = found {
                return .resumable(store, recovery)
            }
            if let joined = try join(result, representation) { return joined }
            var said: [String] = []
            if case .nothing(let notes) = found { said = notes }
            return try begin(final, number, representation, source, said)
        }
    }

    /// Returns the file that an earlier run has downloaded under the name with this number or
    /// without one, and moved elsewhere; `nil` if there is none.
    private func findMoved(
        _ final: FilePath,
        _ number: Int,
        _ head: ResponseHead,
        _ representation: Representation,
        _ digest: ContentDigest?,
        _ comparison: FinishedFileSearch.Comparison
    ) throws(DownloadError) -> Found? {
        guard let movedFiles else { return nil }
        switch try movedFiles.find(final, number, head, representation, digest, comparison) {
        case .undecided: return .undecided
        case .likely(let path): return .likely(path)
        case .same(let path):
            removeLeftover(of: final)
            return .alreadyThere(path)
        case .kept, .open, nil: return nil
        }
    }

    /// Creates a new partial file in place of one that proved to be another download's.
    func openBeside(
        _ wanted: FilePath,
        _ representation: Representation,
        source: String
    ) throws(DownloadError) -> Found {
        var number = 0
        let choice = try finishedFiles.choose(
            wanted,
            representation,
            nil,
            passesOverFolders: true
        )
        if case .open(let free, _) = choice { number = free }
        return try begin(wanted, number, representation, source, [])
    }

    private func begin(
        _ wanted: FilePath,
        _ number: Int,
        _ representation: Representation,
        _ source: String,
        _ notes: [String]
    ) throws(DownloadError) -> Found {
        let (paths, said) = try search.free(
            for: wanted,
            from: number,
            final: wanted.numbered(number),
            settings: storeSettings
        )
        let store = try create(paths, representation, source)
        return .created(store, notes: notes + said)
    }

    /// Whether no other download has finished or begun there since.
    private func isStillFree(_ path: FilePath) throws(DownloadError) -> Bool {
        guard try !ExistingFile.isThere(path) else { return false }
        guard case .nothing = try PartialFinding(DownloadPaths(path)) else { return false }
        return true
    }

    private func create(
        _ paths: DownloadPaths,
        _ representation: Representation,
        _ source: String
    ) throws(DownloadError) -> PartialStore {
        let (search, settings) = (search, storeSettings)
        let store = try PartialCreation.create(
            paths,
            source: source,
            mark: mark,
            representation: representation,
            settings: storeSettings
        ) { (taken) throws(DownloadError) in
            try search.next(after: taken, settings: settings)
        }
        if let storageKey { store.mark(key: storageKey) }
        return store
    }

    /// A new mark, by which a later run recognizes its partial file.
    var mark: SourceMark { SourceMark(url, queueIdentity: storeSettings.queueIdentity) }

    /// Returns the mark for a partial file of an earlier run: its own one if that is of the same
    /// URL and queue, and otherwise a new one.
    func mark(for store: PartialStore) -> SourceMark {
        guard let queue = storeSettings.queueIdentity, let own = store.mark, own.matches(url),
            own.belongs(toQueue: queue)
        else { return mark }
        return own
    }

    /// Returns the path of the finished file, and whether its name is not the caller's choice.
    private func chosen(
        by head: ResponseHead
    ) throws(DownloadError) -> (path: FilePath, isNamedHere: Bool) {
        let chosen = try choice?(DownloadResponse(head)) ?? destination
        try Self.check(chosen)
        if case .directory = chosen { return (path(head, in: chosen), true) }
        return (path(head, in: chosen), false)
    }

    private static func check(_ destination: Destination) throws(DownloadError) {
        switch destination {
        case .file(""):
            throw .usage("the destination is an empty path", advice: "give the file's path")
        case .object: throw .usage("an object was chosen after the response had arrived")
        case .file(let path), .directory(let path):
            guard ObjectAddress.isOne(path) else { return }
            throw .usage(
                "'\(AddressParts(path).redacted)' is the URL of an object, and not a path",
                advice: "use the destination `object`"
            )
        }
    }

    private func path(_ head: ResponseHead, in destination: Destination) -> FilePath {
        let folder: String
        switch destination {
        case .file(let path): return FilePath(path)
        case .directory(let path): folder = path
        // `check` refuses it.
        case .object(let url): folder = url.absoluteString
        }
        let (disposition, mediaType) = (head["Content-Disposition"], head["Content-Type"])
        // Otherwise the response contains nothing that affects the name.
        guard
            disposition != nil || mediaType == "text/html" || head.url != url
                || destination != self.destination
        else {
            return expected
        }
        return FilePath(folder).appending(
            FileName.suggested(
                contentDisposition: disposition,
                url: Self.namingURL(original: url, final: head.url),
                mediaType: mediaType
            )
        )
    }

    /// The URL that names the file: the given one if it looks like a file's, otherwise the one that
    /// it redirects to.
    static func namingURL(original: URL, final: URL) -> URL {
        !original.pathExtension.isEmpty || final.pathExtension.isEmpty ? original : final
    }

    /// Deletes this download's partial file, because the finished file exists.
    ///
    /// It is left from a run that could not compare the finished file, and would never be resumed.
    private func removeLeftover(of final: FilePath) {
        guard settings.resumes, storageKey == nil else { return }
        // It only takes up space, so a failure to delete it is not a failure of the download.
        guard let own = try? search.examine(final).own,
            let found = try? PartialRecovery.recover(
                own,
                allowsWeakResume: true,
                settings: storeSettings
            ),
            case .resumable(let store, _) = found
        else { return }
        try? store.discard()
    }

    /// Recovers the partial file of an earlier run, or of another tool if the user wants that.
    ///
    /// `representation` is what was known of the file before anything was found.
    private func recover(
        _ result: PartialSearch.Result,
        _ representation: Representation
    ) throws(DownloadError) -> RecoveredStore {
        if let foreign = result.foreign, let adopted = try adopt(foreign, representation) {
            return adopted
        }
        guard let own = result.own else { return .nothing(notes: []) }
        guard settings.resumes else {
            return try PartialRecovery.setAside(own, settings: storeSettings)
        }
        return try PartialRecovery.recover(
            own,
            allowsWeakResume: settings.allowsWeakResume,
            settings: storeSettings
        )
    }

    /// Joins another download's partial file, if it is proven to be of the same file and nobody
    /// uses it.
    private func join(
        _ result: PartialSearch.Result,
        _ representation: Representation
    ) throws(DownloadError) -> Found? {
        guard settings.resumes, storageKey == nil else { return nil }
        for other in result.others
        where other.checkpoint.isProvenSame(representation, at: url, isVouched: other.wasOurs) {
            do throws(DownloadError) {
                let found = try PartialRecovery.recover(
                    other.paths,
                    allowsWeakResume: true,
                    settings: storeSettings
                )
                guard case .resumable(let store, var recovery) = found else { continue }
                guard !recovery.have.isEmpty else {
                    store.close()
                    continue
                }
                recovery.isAnothers = true
                return .resumable(store, recovery)
            } catch  where error.code == .alreadyRunning {
                continue
            }
        }
        return nil
    }

    private func adopt(
        _ paths: DownloadPaths,
        _ representation: Representation
    ) throws(DownloadError) -> RecoveredStore? {
        guard settings.adoptsPartialFile, settings.resumes else { return nil }
        let adopted = try PartialRecovery.adopt(
            paths,
            source: url.redacted,
            representation: representation,
            settings: storeSettings
        )
        return adopted.map { .resumable($0.store, $0.recovery) }
    }
}
