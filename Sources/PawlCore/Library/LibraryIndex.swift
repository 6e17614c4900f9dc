package import struct FoundationEssentials.URL

/// What a library knows: files and downloads by their keys; events in, actions out.
///
/// One download a key. A *run* is one attempt at it, with a number of its own: what an older one says is
/// not heard.
package struct LibraryIndex: Sendable {
    package typealias RunID = UInt64

    package struct Entry: Sendable {
        package var file: KnownFile?
        package var download: Download?
    }

    /// A download that has not finished.
    package struct Download: Sendable {
        package enum Phase: Sendable {
            case running(RunID)
            /// It was told to end.
            case stopping(RunID, Stop)
            /// The user is asked for another URL, after this error.
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
        /// How many await the file.
        package var waiters = 0
        /// Whether somebody wants it who does not wait.
        package var isDetached = false
        /// Whether somebody can be asked for another URL.
        package var renews = false
        /// Whether this library has begun it: then its note says nothing new.
        package var isOwn = false
        /// The file whose place the new one is to take, as it was when that was asked for.
        var replaced: KnownFile?
        /// Names under which another process may have put the file.
        var mayBeAt: [String] = []
        /// Whether its URL is another than its note says.
        var hasNewURL = false
        /// What happened under its name meanwhile.
        var missed: Missed?

        package var run: RunID? {
            switch phase {
            case .running(let run), .stopping(let run, _), .renewing(let run, _): run
            case .paused, .failed: nil
            }
        }
    }

    /// Something that the folder told of a running download's name: its end has it looked at again.
    struct Missed: Sendable {
        /// Nil where the file was gone.
        var stamp: FileStamp?
    }

    package struct Ask: Sendable {
        package var url: URL?
        /// What the file is to be called where it has no name yet.
        package var name: String
        package var policy: FinishedFilePolicy
        /// Whether the asker awaits the file.
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
        /// `wasFetched`: not where the server said that the old one is still the same.
        case finished(KnownFile, wasFetched: Bool)
        /// `reached`: how many bytes of the file there were at its end.
        case failed(DownloadError, reached: Int64)
        case stopped
    }

    package enum Event: Sendable {
        case asked(StorageKey, Ask)
        /// One that awaited the file does so no more.
        case waiterLeft(StorageKey)
        case pauseAsked(StorageKey)
        case cancelAsked(StorageKey)
        case urlReplaced(StorageKey, URL)
        case urlGiven(StorageKey, RunID, URL?)
        case runEnded(StorageKey, RunID, RunEnd)
        case folderChanged([FolderChange], [String: FoundFile])
        /// A file was written by the program itself, or proven anew.
        case recorded(KnownFile)
        /// The same, where nothing else has become of the key's file since this one was looked at.
        case renewed(KnownFile, before: KnownFile)
        /// The key's file was removed by the program itself.
        case removed(StorageKey, KnownFile)
        /// The run's file gets this name, which was claimed.
        case named(StorageKey, RunID, String)
        case closed
    }

    package struct Start: Sendable {
        package var run: RunID
        package var order: PendingDownload
        /// The file that is there, and taken if the server says so.
        package var revalidates: KnownFile?
        /// The file whose place the new one takes, as it was last seen.
        package var replaced: KnownFile?
        /// Names under which another process may have put the key's file: others have them, as far as is
        /// known.
        package var mayBeAt: [String] = []
    }

    package enum Action: Sendable {
        /// The asker has it at once.
        case give(KnownFile)
        /// The asker gets nothing.
        case refuse(DownloadError)
        case start(Start)
        case stop(RunID, keeping: Bool)
        /// Ask the user for a URL in place of the one that expired.
        case renew(StorageKey, RunID, DownloadError)
        /// Tell all who await the key's file.
        case conclude(StorageKey, Result<KnownFile, DownloadError>)
        /// Note on disk what a download is; one that ended may have been finished by another process
        /// since, which has removed the note: then none is made.
        case save(PendingDownload, hasEnded: Bool)
        /// Throw away what came of a download, which goes on under another name.
        case discardPart(PendingDownload)
        /// Find out what has that name now.
        case lookAt(String)
        /// What is kept of a file follows its new name.
        case moveRecord(from: String, to: String)
        case tell(LibraryEvent)
    }

    package let folder: String
    package private(set) var entries: [StorageKey: Entry] = [:]
    /// All files of the folder that are not Pawl's own.
    package internal(set) var files: [String: FileStamp] = [:]
    /// Which key has the file of that name.
    private(set) var owners: [String: StorageKey] = [:]
    /// Which unfinished download will have that name.
    private(set) var targets: [String: StorageKey] = [:]
    /// Which key has a form that was cut.
    var shortened: [String: StorageKey] = [:]
    /// Which key looks on disk whether it can have that name.
    private var claims: [String: StorageKey] = [:]
    /// From where files came that are not there any more, so that their keys can be asked for again.
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
            // A newer one may have taken its place meanwhile.
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
            // Another key's file was replaced by this one.
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
        // The memory is bounded: the program has the URLs, too.
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

    /// A name that nobody has, or is to have, but the key itself.
    package func freeName(_ name: String, for key: StorageKey) -> String {
        for number in 0..<10_000 {
            let candidate = number == 0 ? name : FileName.numbered(name, number)
            if isFree(candidate, for: key) { return candidate }
        }
        return name
    }

    /// Whether the key may have that name: a file that was changed is somebody's work, also the key's own.
    package func isFree(_ name: String, for key: StorageKey) -> Bool {
        for taken in [targets[name], claims[name]] {
            if let taken, taken != key { return false }
        }
        guard let owner = owners[name] else { return files[name] == nil }
        return owner == key && entries[key]?.file?.isChanged == false
    }

    /// Keeps a name for the key until `unclaim`; false where it may not have it.
    package mutating func claim(_ name: String, for key: StorageKey) -> Bool {
        guard isFree(name, for: key) else { return false }
        claims[name] = key
        return true
    }

    package mutating func unclaim(_ name: String) { claims[name] = nil }

    /// Under which names something of a key is, or may come, as far as is known.
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
