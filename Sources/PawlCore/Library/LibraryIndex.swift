package import struct FoundationEssentials.URL

/// What a library knows: files and downloads by key.
///
/// It takes events and returns actions.
///
/// A key has at most one download. A *run* is one attempt at it, with its own number; events of an
/// older run are ignored.
package struct LibraryIndex: Sendable {
    package typealias RunID = UInt64

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

        package var order: PendingDownload
        package var phase: Phase
        package var renewal = LinkRenewal()
        /// The number of callers that wait for the file.
        package var waiters = 0
        /// Whether somebody wants the file without waiting for it.
        package var isDetached = false
        /// Whether somebody can be asked for another URL.
        package var renews = false
        /// Whether this library has started the download, so that its note contains nothing new.
        package var isOwn = false
        /// The file that the new one replaces, as it was when that was requested.
        var replaced: KnownFile?
        /// The names under which another process may have put the file.
        var mayBeAt: [String] = []
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

    package struct Ask: Sendable {
        package var url: URL?
        /// The name for the file if it has none yet.
        package var name: String
        package var policy: FinishedFilePolicy
        /// Whether the caller waits for the file.
        package var waits: Bool
        /// Whether somebody can be asked for another URL.
        package var renews = false

        package init(url: URL?, name: String, policy: FinishedFilePolicy, waits: Bool) {
            self.url = url
            self.name = name
            self.policy = policy
            self.waits = waits
        }
    }

    package enum RunEnd: Sendable {
        /// `wasFetched` is `false` if the server confirmed the old file.
        case finished(KnownFile, wasFetched: Bool)
        /// `reached` is the number of bytes of the file at the end of the run.
        case failed(DownloadError, reached: Int64)
        case stopped
    }

    package enum Event: Sendable {
        case asked(StorageKey, Ask)
        /// A caller stopped waiting for the file.
        case waiterLeft(StorageKey)
        case pauseAsked(StorageKey)
        case cancelAsked(StorageKey)
        case urlReplaced(StorageKey, URL)
        case urlGiven(StorageKey, RunID, URL?)
        case runEnded(StorageKey, RunID, RunEnd)
        case folderChanged([FolderChange], [String: FoundFile])
        /// The program itself wrote a file, or a file was verified again.
        case recorded(KnownFile)
        /// As `recorded`, if the key's file has not changed since `before` was read.
        case renewed(KnownFile, before: KnownFile)
        /// The program itself removed the key's file.
        case removed(StorageKey, KnownFile)
        /// The run's file gets this name, which was claimed.
        case named(StorageKey, RunID, String)
        case closed
    }

    package struct Start: Sendable {
        package var run: RunID
        package var order: PendingDownload
        /// The existing file, which is used if the server confirms it.
        package var revalidates: KnownFile?
        /// The file that the new one replaces, as it was last seen.
        package var replaced: KnownFile?
        /// The names under which another process may have put the key's file.
        ///
        /// As far as is known, other files have these names.
        package var mayBeAt: [String] = []
    }

    package enum Action: Sendable {
        /// Give the file to the caller at once.
        case give(KnownFile)
        /// Refuse the caller's request.
        case refuse(DownloadError)
        case start(Start)
        case stop(RunID, keeping: Bool)
        /// Ask the user for a URL in place of the expired one.
        case renew(StorageKey, RunID, DownloadError)
        /// Give the result to all callers that wait for the key's file.
        case conclude(StorageKey, Result<KnownFile, DownloadError>)
        /// Write the download's note.
        ///
        /// If the download has ended and another process has finished it and removed the note
        /// since, none is written.
        case save(PendingDownload, hasEnded: Bool)
        /// Delete the bytes of a download that continues under another name.
        case discardPart(PendingDownload)
        /// Check which file has this name now.
        case lookAt(String)
        /// Move a file's record to its new name.
        case moveRecord(from: String, to: String)
        case tell(LibraryEvent)
    }

    package let folder: String
    package private(set) var entries: [StorageKey: Entry] = [:]
    /// The files of the folder that are not Pawl's own.
    package internal(set) var files: [String: FileStamp] = [:]
    /// The key that has the file of a name.
    private(set) var owners: [String: StorageKey] = [:]
    /// The unfinished download that will have a name.
    private(set) var targets: [String: StorageKey] = [:]
    /// The key of each shortened form.
    var shortened: [String: StorageKey] = [:]
    /// The key that is checking on disk whether it can have a name.
    private var claims: [String: StorageKey] = [:]
    /// The sources of files that are gone, so that their keys can be requested again.
    private(set) var formerFiles: [StorageKey: (url: URL, name: String)] = [:]
    private static let mostFormerFiles = 10_000
    private var lastRun: RunID = 0
    private(set) var isClosed = false

    package init(folder: String) { self.folder = folder }

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .asked(let key, let ask): return asked(key, ask)
        case .waiterLeft(let key): return waiterLeft(key)
        case .pauseAsked(let key): return stop(key, .pause)
        case .cancelAsked(let key): return stop(key, .discard)
        case .urlReplaced(let key, let url): return replaceURL(key, url)
        case .urlGiven(let key, let run, let url): return given(key, run, url)
        case .runEnded(let key, let run, let end): return ended(key, run, end)
        case .folderChanged(let changes, let found): return follow(changes, found)
        case .recorded(let file):
            setFile(file, of: file.record.key)
            return []
        case .renewed(let file, let before):
            if entries[file.record.key]?.file == before { setFile(file, of: file.record.key) }
            return []
        case .removed(let key, let file):
            // A newer file may have taken its place meanwhile.
            guard let known = entries[key]?.file, known.name == file.name,
                known.stamp == file.stamp
            else { return [] }
            return follow([.removed(file.name)], [:])
        case .named(let key, let run, let name):
            guard var download = entries[key]?.download, download.run == run else { return [] }
            download.order.name = name
            setDownload(download, of: key)
            return []
        case .closed:
            isClosed = true
            return entries.keys.flatMap { stop($0, .pause) }
        }
    }

    // MARK: - The tables, kept in agreement

    mutating func setFile(_ file: KnownFile?, of key: StorageKey) {
        if let old = entries[key]?.file, owners[old.name] == key { owners[old.name] = nil }
        if file == nil { noteFormerFile(of: key) }
        entries[key, default: Entry()].file = file
        if let file {
            formerFiles[key] = nil
            // This file has replaced another key's.
            if let other = owners[file.name], other != key {
                entries[other]?.file = nil
                removeIfEmpty(other)
            }
            owners[file.name] = key
            files[file.name] = file.stamp
        }
        removeIfEmpty(key)
    }

    private mutating func noteFormerFile(of key: StorageKey) {
        guard let file = entries[key]?.file, let url = file.record.fetchableURL else { return }
        // The memory is bounded. The program knows the URLs, too.
        if formerFiles.count >= Self.mostFormerFiles { formerFiles.removeAll() }
        formerFiles[key] = (url, file.name)
    }

    mutating func setDownload(_ download: Download?, of key: StorageKey) {
        if let old = entries[key]?.download, targets[old.order.name] == key {
            targets[old.order.name] = nil
        }
        entries[key, default: Entry()].download = download
        if let download { targets[download.order.name] = key }
        removeIfEmpty(key)
    }

    private mutating func removeIfEmpty(_ key: StorageKey) {
        if let entry = entries[key], entry.file == nil, entry.download == nil { entries[key] = nil }
    }

    /// Returns the key's file that has this name, as far as is known.
    func ownFile(named name: String) -> KnownFile? { owners[name].flatMap { entries[$0]?.file } }

    /// Returns a name that nothing but the key itself has or will have.
    package func freeName(_ name: String, for key: StorageKey) -> String {
        FreeName.first(of: name) { isFree($0, for: key) } ?? name
    }

    /// Whether the key may have that name.
    ///
    /// A changed file is somebody's work, even if it is the key's own.
    package func isFree(_ name: String, for key: StorageKey) -> Bool {
        for taken in [targets[name], claims[name]] {
            if let taken, taken != key { return false }
        }
        guard let owner = owners[name] else { return files[name] == nil }
        return owner == key && entries[key]?.file?.isChanged == false
    }

    /// Reserves a name for the key until `unclaim`.
    ///
    /// Returns `false` if the key may not have it.
    package mutating func claim(_ name: String, for key: StorageKey) -> Bool {
        guard isFree(name, for: key) else { return false }
        claims[name] = key
        return true
    }

    package mutating func unclaim(_ name: String) { claims[name] = nil }

    /// Returns the names under which files of a key exist or may appear, as far as is known.
    package func names(of key: StorageKey) -> Set<String> {
        guard let entry = entries[key] else { return [] }
        let known = [entry.file?.name, entry.download?.order.name].compactMap(\.self)
        return Set(known + (entry.download?.mayBeAt ?? []))
    }

    mutating func nextRun() -> RunID {
        lastRun += 1
        return lastRun
    }

    func found(_ file: KnownFile) -> LibraryFile { LibraryFile(file, in: folder) }
}
