internal import struct FoundationEssentials.URL
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Which file a download becomes, and what is there already.
///
/// Its calls block.
struct TargetResolver: Sendable {
    let url: URL
    let destination: Destination
    let choice: DestinationChoice?
    let settings: DownloadSettings
    let storeSettings: StoreSettings
    let stop: StopSignal
    /// What is to be gone on with, wherever it is.
    let resume: ResumeOrder?
    /// Noted on the file.
    let storageKey: String?
    /// The path before the server has said anything.
    let expected: FilePath

    init(_ job: DownloadJob, _ storeSettings: StoreSettings, _ stop: StopSignal) {
        url = job.url
        destination = job.destination
        choice = job.choosesDestination
        settings = job.settings
        resume = job.resume
        storageKey = job.storageKey
        self.storeSettings = storeSettings
        self.stop = stop
        expected =
            switch job.destination {
            case .file(let path): FilePath(path)
            case .directory(let folder):
                FilePath(folder).appending(
                    FileName.suggested(contentDisposition: nil, url: job.url, mediaType: nil)
                )
            }
    }

    /// More numbers than this are not tried.
    private static let mostNumbers = 10_000

    /// What there is before the server was asked.
    enum Found: Sendable {
        /// The notes are for the log: what was set aside, if anything.
        /// `absent`: neither a file nor a part of one has this name.
        case nothing(notes: [String], absent: FilePath?)
        case alreadyThere(FilePath)
        case created(PartialStore, notes: [String])
        case resumable(PartialStore, Recovery)
    }

    /// What an earlier run left under the name that is known before the server was asked.
    func findBeforeAsking() throws(DownloadError) -> Found {
        guard choice == nil else { return .nothing(notes: [], absent: nil) }
        let path = expected
        try FolderPreparation.prepare(path.removingLastComponent())
        let isThere = try ExistingFile.isThere(path)
        if isThere, case .file = destination {
            if settings.ifExists == .skip { return .alreadyThere(path) }
            if settings.ifExists == .fail { throw Self.exists(path) }
        }
        guard let resume else { return try findBeforeAsking(path, isThere: isThere, notes: []) }
        switch try restore(resume, to: path) {
        case .resumable(let store, let recovery): return .resumable(store, recovery)
        case .obstacle(let obstacle):
            guard resume.fallback == .startAnew else { throw DownloadError(obstacle) }
            let note = "the resume data cannot be used: \(obstacle.description); starting anew"
            return try findBeforeAsking(path, isThere: isThere, notes: [note])
        }
    }

    private func findBeforeAsking(
        _ path: FilePath,
        isThere: Bool,
        notes: [String]
    ) throws(DownloadError) -> Found {
        // Which number the file would get can only be told when it is known whether it is another.
        guard !isThere || settings.ifExists == .overwrite else {
            return .nothing(notes: notes, absent: nil)
        }
        switch try recover(path, Representation()).found {
        case .resumable(let store, var recovery):
            recovery.notes = notes + recovery.notes
            return .resumable(store, recovery)
        case .nothing(let said):
            return .nothing(notes: notes + said, absent: isThere ? nil : path)
        case .foreignPartial: return .nothing(notes: notes, absent: nil)
        }
    }

    /// The store for what the server answered: an earlier run's, or a new one.
    ///
    /// `source`: where it comes from, for the checkpoint. `absent`: a path of which was just seen
    /// that nothing is there.
    func open(
        _ head: ResponseHead,
        _ representation: Representation,
        _ digest: ContentDigest?,
        source: String,
        absent: FilePath? = nil
    ) throws(DownloadError) -> Found {
        let final = try chosen(by: head)
        if final == absent {
            let store = try create(DownloadPaths(final), representation, source)
            return .created(store, notes: [])
        }
        try FolderPreparation.prepare(final.removingLastComponent())
        switch try choose(final, representation, digest) {
        case .alreadyThere(let path): return .alreadyThere(path)
        case .open(let path):
            let (paths, found) = try recover(path, representation)
            if case .resumable(let store, let recovery) = found {
                return .resumable(store, recovery)
            }
            let store = try create(paths, representation, source)
            if case .nothing(let notes) = found { return .created(store, notes: notes) }
            return .created(store, notes: [])
        }
    }

    private func create(
        _ paths: DownloadPaths,
        _ representation: Representation,
        _ source: String
    ) throws(DownloadError) -> PartialStore {
        let store = try PartialStore.create(
            paths,
            source: source,
            representation: representation,
            settings: storeSettings
        )
        if let storageKey { store.mark(key: storageKey) }
        return store
    }

    private func chosen(by head: ResponseHead) throws(DownloadError) -> FilePath {
        guard let choice else { return path(head, in: destination) }
        return path(head, in: try choice(DownloadResponse(head)))
    }

    private func path(_ head: ResponseHead, in destination: Destination) -> FilePath {
        let folder: String
        switch destination {
        case .file(let path): return FilePath(path)
        case .directory(let path): folder = path
        }
        let (disposition, mediaType) = (head["Content-Disposition"], head["Content-Type"])
        // Else nothing was said that has to do with the name.
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

    /// The URL that was given names the file if it looks like a file's, else where it led.
    private static func namingURL(original: URL, final: URL) -> URL {
        !original.pathExtension.isEmpty || final.pathExtension.isEmpty ? original : final
    }

    private enum Choice {
        case alreadyThere(FilePath)
        case open(FilePath)
    }

    private func choose(
        _ final: FilePath,
        _ representation: Representation,
        _ digest: ContentDigest?
    ) throws(DownloadError) -> Choice {
        for number in 0..<Self.mostNumbers {
            let path = Self.numbered(final, number)
            switch try compare(path, representation, digest) {
            case .absent: return .open(path)
            case .same: return .alreadyThere(path)
            case .different: break
            }
            switch settings.ifExists {
            case .skip: return .alreadyThere(path)
            case .fail: throw Self.exists(path)
            case .overwrite: return .open(path)
            case .rename: continue
            }
        }
        throw Self.exists(final)
    }

    /// With a digest the whole file is read, which may take longer than the user waits.
    private func compare(
        _ path: FilePath,
        _ representation: Representation,
        _ digest: ContentDigest?
    ) throws(DownloadError) -> ExistingFile {
        let stop = stop
        return try ExistingFile.compare(path, representation, digest: digest) {
            () throws(DownloadError) in try stop.check()
        }
    }

    static func numbered(_ path: FilePath, _ number: Int) -> FilePath {
        guard number > 0, let name = path.lastComponent?.string else { return path }
        return path.removingLastComponent().appending(FileName.numbered(name, number))
    }

    /// What is left of an earlier run, under the first name that is not another tool's.
    ///
    /// `representation`: what is known of the file before anything was found.
    private func recover(
        _ final: FilePath,
        _ representation: Representation
    ) throws(DownloadError) -> (paths: DownloadPaths, found: RecoveredStore) {
        for number in 0..<Self.mostNumbers {
            let paths = DownloadPaths(final, partial: Self.numbered(final, number))
            let recovered =
                settings.resumes
                ? try PartialStore.recover(
                    paths,
                    allowsWeakResume: settings.allowsWeakResume,
                    settings: storeSettings
                ) : try PartialStore.setAside(paths, settings: storeSettings)
            guard case .foreignPartial = recovered else { return (paths, recovered) }
            if let adopted = try adopt(paths, representation) { return (paths, adopted) }
        }
        throw Self.exists(final)
    }

    private func adopt(
        _ paths: DownloadPaths,
        _ representation: Representation
    ) throws(DownloadError) -> RecoveredStore? {
        guard settings.adoptsPartialFile, settings.resumes else { return nil }
        let adopted = try PartialStore.adopt(
            paths,
            source: url.redacted,
            representation: representation,
            settings: storeSettings
        )
        return adopted.map { .resumable($0.store, $0.recovery) }
    }

    private static func exists(_ path: FilePath) -> DownloadError {
        DownloadError(
            .fileExists,
            "\(path) is there already",
            advice: "give another name with --output, or --if-exists rename or overwrite"
        )
    }
}
