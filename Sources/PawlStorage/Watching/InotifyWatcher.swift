#if os(Linux)
internal import Glibc
package import PawlCore
package import SystemPackage

/// Watches a folder by inotify, on a thread of its own that ends with its owner.
package final class InotifyWatcher: FolderWatching {
    package let baseline: [String: FileStamp]
    private let mailbox: WatchMailbox

    /// `beforeReading`: called on the thread each time before it reads what the kernel has queued.
    package init(
        _ folder: FilePath,
        beforeReading: @escaping @Sendable () -> Void = {}
    ) throws(DownloadError) {
        let mailbox = try attempt(.watch, folder) { () throws(Errno) in try WatchMailbox() }
        let thread = try WatchThread(folder, mailbox, beforeReading)
        self.mailbox = mailbox
        baseline = thread.baseline
        try attempt(.watch, folder) { () throws(Errno) in
            try ServiceThread.start("pawl-watch") { thread.run() }
        }
    }

    deinit { mailbox.end() }

    package func next() async -> [FolderChange]? { await mailbox.next() }

    package func stop() { mailbox.end() }

    /// Lives as long as the thread does, for tests.
    package var threadToken: AnyObject { mailbox }
}

/// What the thread does and has.
private struct WatchThread: Sendable {
    /// So often it is looked whether the folder is still the one under its name: of a folder above
    /// it that gets another name, the kernel tells nothing.
    private static let lookInterval: Int32 = 1000
    /// The two halves of a rename come one after the other, but not at once.
    private static let secondHalf: Int32 = 20
    private static let mostReadings = 5

    let baseline: [String: FileStamp]
    private let folder: FilePath
    private let identity: FileStatus.Identity
    private let queue: InotifyQueue
    private let mailbox: WatchMailbox
    private let beforeReading: @Sendable () -> Void

    init(
        _ folder: FilePath,
        _ mailbox: WatchMailbox,
        _ beforeReading: @escaping @Sendable () -> Void
    ) throws(DownloadError) {
        self.folder = folder
        self.mailbox = mailbox
        self.beforeReading = beforeReading
        // First the watch, then the look: what happens in between comes twice, and not never.
        queue = try InotifyQueue(folder)
        let (status, files) = try attempt(.watch, folder) { () throws(Errno) in
            (try folder.targetStatus(), try FolderSnapshot.take(folder))
        }
        guard let status else {
            throw DownloadError(.noSuchFileOrDirectory, while: .watch, folder)
        }
        identity = status.identity
        baseline = files
    }

    func run() {
        var ledger = FolderLedger(known: baseline)
        var end: FolderEnd?
        let buffer = PieceBuffer(count: 64 * 1024)
        while !mailbox.isEnded {
            do throws(Errno) {
                if end == nil { end = try collect(&ledger, buffer) }
                try deliver(&ledger, end)
            } catch .noSuchFileOrDirectory {
                // The folder went just now: the next round finds out how.
                continue
            } catch {
                end = .unreadable
                continue
            }
            wait(for: end == nil)
        }
    }

    /// Returns why there will be no more, if so.
    private func collect(
        _ ledger: inout FolderLedger,
        _ buffer: PieceBuffer
    ) throws(Errno) -> FolderEnd? {
        beforeReading()
        for _ in 0..<Self.mostReadings {
            let news = try queue.drain(buffer)
            for name in news.names { ledger.noted(name) }
            if news.didOverflow { ledger.overflowed() }
            if let end = news.end { return end }
            guard !news.halfRenames.isEmpty, isReadable(within: Self.secondHalf) else { break }
        }
        guard try folder.targetStatus()?.identity != identity else { return nil }
        // The kernel may be about to say why.
        guard isReadable(within: Self.secondHalf) else { return .moved }
        return try queue.drain(buffer).end ?? .moved
    }

    private func deliver(_ ledger: inout FolderLedger, _ end: FolderEnd?) throws(Errno) {
        guard mailbox.isEmptyAndAwaited else { return }
        if let end {
            mailbox.put([.ended(end)])
            mailbox.end()
            return
        }
        let changes: [FolderChange]
        switch ledger.work {
        case .nothing: return
        case .look(let names):
            let found = try FolderSnapshot.look(at: names, in: folder)
            try checkFolder()
            changes = ledger.looked(at: names, found: found)
        case .rescan:
            let found = try FolderSnapshot.take(folder)
            try checkFolder()
            changes = ledger.rescanned(found: found)
        }
        if !changes.isEmpty { mailbox.put(changes) }
    }

    /// What was seen in another folder of that name is not told as changes of this one.
    private func checkFolder() throws(Errno) {
        guard try folder.targetStatus()?.identity == identity else {
            throw .noSuchFileOrDirectory
        }
    }

    private func wait(for queueToo: Bool) {
        var entries = [pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)]
        if queueToo {
            entries.append(pollfd(fd: queue.descriptor, events: Int16(POLLIN), revents: 0))
        }
        _ = poll(&entries, nfds_t(entries.count), queueToo ? Self.lookInterval : -1)
        if entries[0].revents != 0 { mailbox.silence() }
    }

    private func isReadable(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: queue.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}
#endif
