internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Follows the changes that others make in a library's folder.
final class FolderFollower: Sendable {
    private let folder: FilePath
    private let disk: BlockingPool
    private let index: SharedIndex
    private let session: String?
    /// Locked while the folder is checked, before the index.
    private let oneCheck = Mutex(())

    /// Creates the follower.
    ///
    /// `session` is the identifier of the library's background session.
    init(_ folder: FilePath, _ disk: BlockingPool, _ index: SharedIndex, session: String?) {
        self.folder = folder
        self.disk = disk
        self.index = index
        self.session = session
    }

    /// Reads the folder's content after the watch has begun.
    func load(_ stamps: [ExactText: FileStamp]) async throws(DownloadError) {
        let (folder, session) = (folder, session)
        let content = try await disk.run { () throws(DownloadError) in
            LibraryScan(folder, session: session).content(stamps)
        }
        index.load(content)
    }

    func watch(_ watcher: any FolderWatching) async {
        while let changes = await watcher.next() { await follow(changes) }
    }

    func follow(_ changes: [FolderChange]) async {
        // If the folder cannot be read, the watcher reports the reason when it can.
        try? await disk.run { () throws(DownloadError) in try self.followNow(changes) }
    }

    /// Checks the reported files, and checks those again that a download has touched meanwhile.
    ///
    /// One check runs at a time: what an earlier one has read must not replace what a later one has
    /// found. It blocks.
    func followNow(_ told: [FolderChange]) throws(DownloadError) {
        try oneCheck.withLock { (_) throws(DownloadError) in try check(told) }
    }

    private func check(_ told: [FolderChange]) throws(DownloadError) {
        let scan = LibraryScan(folder)
        let number = index.beginCheck()
        defer { index.endCheck(number) }
        var check = FolderCheck(told)
        while true {
            switch index.follow(&check, number) {
            case .done: return
            case .check(let names): check.saw(try scan.check(names), of: names)
            case .search(let names): index.searched(names, among: try scan.stamps(), &check)
            }
        }
    }

    /// Checks the status of a key's file itself, without waiting for the watch.
    ///
    /// It blocks.
    func refresh(_ key: StorageKey) throws(DownloadError) {
        let entry = index.entry(key)
        guard let file = entry?.file, entry?.download?.run == nil,
            try LibraryFiles(folder).stamp(file.name) != file.stamp
        else { return }
        try followNow([.modified(file.name)])
    }
}
