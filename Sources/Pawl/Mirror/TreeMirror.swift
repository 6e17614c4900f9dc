internal import Glibc
package import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage
internal import struct FoundationEssentials.Date
internal import struct FoundationEssentials.URL

/// Shows what a mirror does.
package protocol MirrorReporting: Sendable {
    /// Runs a task to its end, and shows its progress and its result.
    func run(
        _ task: DownloadTask,
        _ file: ListedFile
    ) async -> Result<DownloadedFile, DownloadError>
    /// Tells the user something that is not an error.
    func note(_ text: String)
    /// Reports an error at a path or a URL.
    func report(_ error: DownloadError, at location: String)
}

/// The numbers of what a mirror has found and done.
package struct MirrorCounts: Hashable, Sendable {
    /// The files that were not there before.
    package var new = 0
    /// The files that had another version before.
    package var changed = 0
    package var unchanged = 0
    /// The files of others that were kept.
    package var kept = 0
    package var failed = 0
    /// The bytes of the new and the changed files.
    package var bytes: Int64 = 0
    package var folders = 0
    /// The entries of lists that are neither files nor folders, such as symbolic links.
    package var leftOut = 0
    /// The files and folders that `robots.txt` forbids.
    package var disallowed = 0

    package init() {}

    package var files: Int { new + changed + unchanged + kept + failed }
}

/// Keeps the files of a local folder equal to those of a tree on a server.
package final class TreeMirror: TreeVisiting {
    private struct State {
        var counts = MirrorCounts()
        var firstError: DownloadError?
        /// Whether every folder of the tree was listed completely.
        var isComplete = true
        var disallowed: [String] = []
    }

    private let folder: String
    private let journal: MirrorJournal
    private let session: DownloadSession
    private let ifExists: ExistingFilePolicy
    private let settings: @Sendable (ListedFile) -> DownloadSettings
    private let reporter: any MirrorReporting
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: The local folder.
    ///   - ifExists: What to do with a file that the mirror has not fetched, or that was changed
    ///     since.
    ///   - settings: Returns the settings for a file.
    package init(
        folder: String,
        _ journal: MirrorJournal,
        _ session: DownloadSession,
        ifExists: ExistingFilePolicy,
        reporter: any MirrorReporting,
        settings: @escaping @Sendable (ListedFile) -> DownloadSettings
    ) {
        (self.folder, self.journal, self.session) = (folder, journal, session)
        (self.ifExists, self.settings, self.reporter) = (ifExists, settings, reporter)
    }

    package var counts: MirrorCounts { state.withLock { $0.counts } }

    package var firstError: DownloadError? { state.withLock { $0.firstError } }

    // MARK: - Folders

    package func listed(_ content: FolderContent, of folder: ListedFolder) {
        state.withLock { state in
            state.counts.folders += 1
            state.counts.leftOut += content.leftOut.count
            if !content.isComplete { state.isComplete = false }
        }
        if !content.isComplete {
            let name = folder.path.isEmpty ? "the root" : folder.path
            reporter.note("the list of \(name) could not be read completely")
        }
        // They are on the server, so that files of the mirror with these names have not vanished.
        for path in content.leftOut { _ = journal.see(path) }
    }

    package func redirected(to address: String) {
        state.withLock { $0.isComplete = false }
        reporter.note(
            "the server redirects to \(AddressParts(address).redacted.sanitized(atMost: 300))"
        )
    }

    package func failed(_ folder: ListedFolder, _ error: DownloadError) {
        state.withLock { $0.isComplete = false }
        report(error, at: folder.path.isEmpty ? folder.address : folder.path + "/")
    }

    package func disallowed(_ path: String) {
        state.withLock { state in
            state.counts.disallowed += 1
            state.disallowed.append(path)
        }
    }

    private func report(_ error: DownloadError, at location: String) {
        guard !Task.isCancelled || error.code != .interrupted && error.code != .cancelled else {
            return
        }
        state.withLock { state in
            if state.firstError == nil { state.firstError = error }
        }
        reporter.report(error, at: location)
    }

    // MARK: - Files

    package func waitForRoom() async -> Bool { await session.waitForRoom() }

    package func work(for file: ListedFile) -> FileWork? {
        // Several pages may link to one file.
        guard journal.see(file.path) else { return nil }
        let record = journal.record(of: file.path)
        let (step, stamp) = step(for: file, record)
        guard step != .unchanged else {
            state.withLock { $0.counts.unchanged += 1 }
            return nil
        }
        // A new file is queued before the walk continues. The work reports the error of an address
        // that is not a URL.
        let begun = step == .fetch ? try? begin(file, replacing: nil) : nil
        return { [self] in
            do throws(DownloadError) {
                return try await take(step, file, stamp, begun)
            } catch {
                guard !Task.isCancelled else { return nil }
                state.withLock { $0.counts.failed += 1 }
                report(error, at: file.path)
                return nil
            }
        }
    }

    /// Returns what to do with a file, and the stamp of the local file that was judged; `nil` if
    /// there is none.
    private func step(
        for file: ListedFile,
        _ record: MirrorRecord?
    ) -> (MirrorStep, FileStamp?) {
        guard file.path != MirrorJournal.name, let status = try? path(of: file).status() else {
            return (file.path == MirrorJournal.name ? .blocked : .fetch, nil)
        }
        guard status.isRegular else { return (.blocked, nil) }
        let stamp = FileStamp(status)
        return (MirrorJudge.step(for: file, record, stamp), stamp)
    }

    private func path(of file: ListedFile) -> FilePath { FilePath(folder).appending(file.path) }

    /// Updates a file; returns the folder that it turned out to be.
    ///
    /// `begun`: the download of a new file.
    private func take(
        _ step: MirrorStep,
        _ file: ListedFile,
        _ stamp: FileStamp?,
        _ begun: DownloadTask?
    ) async throws(DownloadError) -> ListedFolder? {
        switch step {
        case .unchanged: return nil
        case .fetch:
            guard let begun else { return try await fetch(file, replacing: nil) }
            return try await finish(begun, file, replacing: nil)
        case .ask(let record):
            switch try await ask(for: file, record) {
            case .folder(let folder): return folder
            case .version(let version) where MirrorJudge.isUnchanged(record, version):
                confirm(file, record, version)
                return nil
            case .version, .unclear: return try await fetch(file, replacing: stamp)
            }
        case .replace: return try await fetch(file, replacing: stamp)
        case .compare(let isKnown): return try await compare(file, stamp, isKnown: isKnown)
        case .blocked:
            if file.lists != nil, case .folder(let folder) = try await ask(for: file, nil) {
                return folder
            }
            throw DownloadError(
                .fileExists,
                "something other than a file has this name",
                advice: "rename it; to skip the server's file, \(.leaveOut)"
            )
        }
    }

    /// Notes that a file has not changed.
    private func confirm(_ file: ListedFile, _ record: MirrorRecord, _ version: ServerVersion) {
        // Somebody may have changed the file since it was judged.
        if let stamp = stamp(of: file), record.isOf(stamp) {
            var known = version
            // A 304 need not repeat them (RFC 9110 §15.4.5).
            known.entityTag = version.entityTag ?? record.entityTag
            known.lastModified = version.lastModified ?? record.lastModified
            journal.set(MirrorJudge.record(of: file, stamp, known), of: file.path)
        }
        state.withLock { $0.counts.unchanged += 1 }
    }

    /// Takes a file that exists and is not the one that the mirror has fetched.
    ///
    /// `isKnown`: whether the mirror has a record of an earlier one.
    private func compare(
        _ file: ListedFile,
        _ stamp: FileStamp?,
        isKnown: Bool
    ) async throws(DownloadError) -> ListedFolder? {
        if !isKnown, let stamp {
            switch try await recognize(file, stamp) {
            case .current: return nil
            case .outdated: return try await fetch(file, replacing: stamp)
            case .folder(let folder): return folder
            case .foreign: break
            }
        }
        switch ifExists {
        case .overwrite: return try await fetch(file, replacing: stamp)
        case .skip:
            state.withLock { $0.counts.kept += 1 }
            return nil
        case .fail, .rename:
            throw DownloadError(
                .fileExists,
                "a file with this name exists, which this mirror has not fetched or which was "
                    + "changed since",
                advice: "\(.replaceOrKeep)"
            )
        }
    }

    /// What a local file without a record is.
    private enum Recognition {
        /// The server's version.
        case current
        /// An older version that an earlier run has fetched.
        case outdated
        /// The server has a folder of the name.
        case folder(ListedFolder)
        /// Possibly somebody's own file.
        case foreign
    }

    /// Recognizes a file without a record that an earlier run or another tool has fetched.
    private func recognize(
        _ file: ListedFile,
        _ stamp: FileStamp
    ) async throws(DownloadError) -> Recognition {
        guard let url = URL(string: file.address) else { return .foreign }
        let isOwn = RepresentationMark.isUnchanged(path(of: file), of: [url])
        var record = MirrorRecord(source: "", size: stamp.size, modified: stamp.modified)
        if isOwn, let mark = RepresentationMark.found(on: path(of: file)) {
            (record.entityTag, record.lastModified) = (mark.tag?.description, mark.lastModified)
        }
        switch try await ask(for: file, isOwn ? record : nil) {
        case .folder(let folder): return .folder(folder)
        case .version(let version)
        where MirrorJudge.isUnchanged(record, version) || MirrorJudge.isSame(stamp, version):
            confirm(file, record, version)
            return .current
        case .version, .unclear: return isOwn ? .outdated : .foreign
        }
    }

    private func stamp(of file: ListedFile) -> FileStamp? { Self.stamp(path(of: file)) }

    private static func stamp(_ path: FilePath) -> FileStamp? {
        guard let status = try? path.status(), status.isRegular else { return nil }
        return FileStamp(status)
    }

    /// Downloads a file; returns the folder that it turned out to be.
    private func fetch(
        _ file: ListedFile,
        replacing replaced: FileStamp?
    ) async throws(DownloadError) -> ListedFolder? {
        try await finish(begin(file, replacing: replaced), file, replacing: replaced)
    }

    /// Queues the download of a file.
    ///
    /// `replaced` is the only existing file that it may replace: what somebody creates or edits
    /// meanwhile is kept.
    private func begin(
        _ file: ListedFile,
        replacing replaced: FileStamp?
    ) throws(DownloadError) -> DownloadTask {
        guard let url = URL(string: file.address) else {
            throw .usage("'\(file.address.sanitized(atMost: 200))' is not a URL")
        }
        var settings = settings(file)
        settings.ifExists = replaced == nil ? .fail : .overwrite
        let request = DownloadRequest(url) { [settings] in $0 = settings }
        let destination = TaskDestination.file(path(of: file).string)
        let task = session.downloadTask(request, to: destination, replacing: replaced)
        task.resume()
        return task
    }

    /// Waits for the end of a download; returns the folder that the file turned out to be.
    private func finish(
        _ task: DownloadTask,
        _ file: ListedFile,
        replacing replaced: FileStamp?
    ) async throws(DownloadError) -> ListedFolder? {
        let (url, path) = (task.originalRequest.url, path(of: file))
        let result = try await reporter.run(task, file).get()
        guard result.path == path.string else {
            throw DownloadError(
                .fileExists,
                "the file was changed while it was fetched again, and is kept",
                advice: "the server's version is \(result.path.sanitized)"
            )
        }
        let head = task.responseHead
        if let folder = head.flatMap({ file.folder(at: $0.url) }) {
            try discardPage(of: file, result.byteCount)
            return folder
        }
        var version = head.map { ServerVersion(status: $0.status, $0.fields) } ?? ServerVersion()
        if version.date == nil, URLScheme(of: url.scheme)?.isHTTP != true {
            (version.date, version.clockError) = (Self.now, Self.mostClockError)
        }
        if let stamp = Self.ownStamp(of: path, url, result.byteCount, version) {
            journal.set(MirrorJudge.record(of: file, stamp, version), of: file.path)
        }
        state.withLock { state in
            if result.wasAlreadyThere {
                state.counts.unchanged += 1
            } else {
                if replaced != nil { state.counts.changed += 1 } else { state.counts.new += 1 }
                state.counts.bytes += result.byteCount
            }
        }
        return nil
    }

    /// Removes the page that was saved in place of a folder.
    private func discardPage(of file: ListedFile, _ byteCount: Int64) throws(DownloadError) {
        let path = path(of: file)
        if stamp(of: file)?.size == byteCount {
            try attempt(.remove, path) { () throws(Errno) in try path.removeFile() }
        }
        journal.set(nil, of: file.path)
    }

    /// Returns the stamp of a file that was just downloaded; `nil` if somebody has written to it
    /// since.
    private static func ownStamp(
        of path: FilePath,
        _ url: URL,
        _ byteCount: Int64,
        _ version: ServerVersion
    ) -> FileStamp? {
        guard let stamp = stamp(path), stamp.size == byteCount else { return nil }
        // It has the server's time unless it was written to.
        let isUntouched = version.modifiedSeconds.map { $0 * 1_000_000_000 == stamp.modified }
        if isUntouched != true, RepresentationMark.isOutdated(on: path, of: [url]) { return nil }
        return stamp
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// The number of seconds by which the clock of a server that does not report its time may be wrong.
    private static let mostClockError: Int64 = 86_400

    /// What the server has at the address of a file.
    private enum Answer {
        case version(ServerVersion)
        case folder(ListedFolder)
        /// The response does not show it.
        case unclear
    }

    /// Asks which version of a file the server has, with one request.
    private func ask(
        for file: ListedFile,
        _ record: MirrorRecord?
    ) async throws(DownloadError) -> Answer {
        guard let url = URL(string: file.address), let scheme = URLScheme(of: url.scheme) else {
            return .unclear
        }
        let settings = settings(file)
        guard scheme.isHTTP || scheme == .s3 else {
            let found = try await session.inspect(url) { $0 = settings }
            var version = ServerVersion()
            (version.size, version.lastModified) = (found.totalBytes, found.lastModified)
            (version.date, version.clockError) = (Self.now, Self.mostClockError)
            return .version(version)
        }
        var request = DownloadRequest(url) { $0 = settings }
        request.method = "HEAD"
        request.acceptsErrorStatuses = true
        request.decodesContent = false
        if let tag = record?.entityTag {
            request.fields.append(HTTPField(name: "If-None-Match", value: tag))
        } else if let time = record?.lastModified {
            request.fields.append(HTTPField(name: "If-Modified-Since", value: time))
        }
        let stream = try await session.bytes(for: request)
        defer { stream.cancel() }
        if let folder = file.folder(at: stream.response.url) { return .folder(folder) }
        guard [200, 304].contains(stream.response.status) else { return .unclear }
        return .version(ServerVersion(status: stream.response.status, stream.response.fields))
    }

    // MARK: - Vanished files

    /// Returns the paths of the mirror's files that are no longer on the server; `nil` if some
    /// folder was not listed completely, or if all files are gone, so that this is not certain.
    ///
    /// Those that somebody has changed are left out.
    package func vanished(
        _ isConcerned: (_ path: String) -> Bool
    ) -> [String]? {
        let (isComplete, disallowed) = state.withLock { ($0.isComplete, $0.disallowed) }
        guard isComplete, !Task.isCancelled else { return nil }
        let vanished = journal.unseen.filter { path in
            guard isConcerned(path),
                !disallowed.contains(where: { path == $0 || path.hasPrefix($0.asFolderPath) }),
                let record = journal.record(of: path)
            else { return false }
            guard !isBehindLink(path) else { return false }
            guard let stamp = Self.stamp(FilePath(folder).appending(path)) else {
                // Somebody has removed it.
                journal.set(nil, of: path)
                return false
            }
            return record.isOf(stamp)
        }
        return vanished.isEmpty || journal.hasSeenKnown ? vanished : nil
    }

    /// Whether a folder above a file is a symbolic link, which may lead out of the mirror.
    private func isBehindLink(_ path: String) -> Bool {
        foldersAbove(path).contains { (try? $0.status())?.isDirectory == false }
    }

    /// The folders of the mirror above a file, the lowest first.
    private func foldersAbove(_ path: String) -> [FilePath] {
        let names = path.pathNames.dropLast()
        return names.indices.reversed().map { last in
            FilePath(folder).appending(names[...last].joined(separator: "/"))
        }
    }

    /// Deletes a file that is no longer on the server, and the folders above it that are empty then.
    package func delete(_ path: String) throws(DownloadError) {
        let file = FilePath(folder).appending(path)
        guard let stamp = Self.stamp(file), journal.record(of: path)?.isOf(stamp) == true,
            !isBehindLink(path)
        else {
            throw DownloadError(
                .conflict,
                "the file has changed and is kept",
                advice: "delete it yourself if you do not need it"
            )
        }
        try attempt(.remove, file) { () throws(Errno) in try file.removeFile() }
        journal.set(nil, of: path)
        for parent in foldersAbove(path) where rmdir(parent.string) != 0 { return }
    }
}
