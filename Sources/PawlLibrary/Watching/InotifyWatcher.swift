internal import PawlStorage

#if os(Linux)
internal import Glibc
package import PawlCore
package import SystemPackage

/// Watches a folder with inotify, on a separate thread that ends with its owner.
package final class InotifyWatcher: FolderWatching {
    package let baseline: [ExactText: FileStamp]
    private let pending: PendingChanges

    /// Starts watching.
    ///
    /// `before` is called on the thread before each of its steps.
    package init(
        _ folder: FilePath,
        before: @escaping @Sendable (WatchStep) -> Void = { _ in }
    ) throws(DownloadError) {
        let pending = try attempt(.watch, folder) { () throws(Errno) in try PendingChanges() }
        let thread = try WatchThread(folder, pending, before)
        self.pending = pending
        baseline = thread.baseline
        try attempt(.watch, folder) { () throws(Errno) in
            try DetachedThread.start("pawl-watch") { thread.run() }
        }
    }

    deinit { pending.end() }

    package func next() async -> [FolderChange]? { await pending.next() }

    package func stop() { pending.end() }

    /// An object that lives as long as the thread, for tests.
    package var threadToken: AnyObject { pending }
}

/// A step of the thread that watches a folder.
package enum WatchStep: Sendable {
    /// It reads the kernel's queue.
    case reading
    /// It looks at the files of the names that it has read.
    case checking
}

/// The state of the thread.
private struct WatchThread: Sendable {
    /// The interval, in milliseconds, for checking whether the folder still has its name.
    ///
    /// The kernel does not report that a folder above it was renamed.
    private static let checkInterval: Int32 = 1000
    /// The time in milliseconds to wait for the second half of a rename, and for the event of a file
    /// that has just left.
    ///
    /// The system reports a change after it has been made, and the two halves of a rename one after
    /// the other. The program that makes the change can be interrupted in between.
    private static let eventDelay: Int32 = 100
    private static let mostReadings = 5

    let baseline: [ExactText: FileStamp]
    private let folder: FilePath
    private let identity: FileStatus.Identity
    private let queue: InotifyQueue
    private let pending: PendingChanges
    private let before: @Sendable (WatchStep) -> Void

    init(
        _ folder: FilePath,
        _ pending: PendingChanges,
        _ before: @escaping @Sendable (WatchStep) -> Void
    ) throws(DownloadError) {
        self.folder = folder
        self.pending = pending
        self.before = before
        // The watch begins before the folder is read, so that a change in between is seen twice
        // instead of never.
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
        var early = 0
        while !pending.isEnded {
            do throws(Errno) {
                if end == nil { end = try collect(&ledger, buffer) }
                let isLast = early == Self.mostReadings
                if try !deliver(&ledger, end, evenIfEarly: isLast) {
                    early = isReadable(within: Self.eventDelay) ? early + 1 : Self.mostReadings
                    continue
                }
                early = 0
            } catch .noSuchFileOrDirectory {
                // The folder has just gone; the next round finds out how.
                continue
            } catch {
                end = .unreadable
                continue
            }
            wait(for: end == nil)
        }
    }

    /// Collects changes.
    ///
    /// Returns the reason if there will be no more.
    private func collect(
        _ ledger: inout FolderLedger,
        _ buffer: PieceBuffer
    ) throws(Errno) -> FolderEnd? {
        before(.reading)
        var reading = InotifyQueue.Reading()
        for _ in 0..<Self.mostReadings {
            try queue.drain(buffer, into: &reading)
            guard !reading.halfRenames.isEmpty, reading.end == nil,
                isReadable(within: Self.eventDelay)
            else { break }
        }
        for event in reading.events { ledger.noted(event.name, isDeparture: event.isDeparture) }
        if reading.didOverflow { ledger.overflowed() }
        if let end = reading.end { return end }
        let now = try folder.targetStatus()?.identity
        guard now != identity else { return nil }
        // The kernel may be about to report the reason. It reports an unmounted file system only
        // when nothing uses it any more.
        let isOnOtherDevice = now.map { $0.device != identity.device } ?? false
        let timeout = isOnOtherDevice ? Self.checkInterval : Self.eventDelay
        guard isReadable(within: timeout) else { return .moved }
        try queue.drain(buffer, into: &reading)
        return reading.end ?? .moved
    }

    /// Passes on the changes since the last call.
    ///
    /// Returns `false` if it is too early: a file has left a name, and its event is not read yet.
    private func deliver(
        _ ledger: inout FolderLedger,
        _ end: FolderEnd?,
        evenIfEarly: Bool
    ) throws(Errno) -> Bool {
        guard pending.isEmptyAndAwaited else { return true }
        if let end {
            pending.put([.ended(end)])
            pending.end()
            return true
        }
        let changes: [FolderChange]
        switch ledger.work {
        case .nothing: return true
        case .check(let names):
            before(.checking)
            let found = try FolderSnapshot.check(names, in: folder)
            try checkFolder()
            guard evenIfEarly || ledger.explains(names, found: found) else { return false }
            changes = ledger.checked(names, found: found)
        case .rescan:
            let found = try FolderSnapshot.take(folder)
            try checkFolder()
            changes = ledger.rescanned(found: found)
        }
        if !changes.isEmpty { pending.put(changes) }
        return true
    }

    /// Checks the folder.
    ///
    /// The content of another folder of that name must not be reported as changes of this one.
    private func checkFolder() throws(Errno) {
        guard try folder.targetStatus()?.identity == identity else {
            throw .noSuchFileOrDirectory
        }
    }

    private func wait(for queueToo: Bool) {
        var entries = [pollfd(fd: pending.descriptor, events: Int16(POLLIN), revents: 0)]
        if queueToo {
            entries.append(pollfd(fd: queue.descriptor, events: Int16(POLLIN), revents: 0))
        }
        _ = poll(&entries, nfds_t(entries.count), queueToo ? Self.checkInterval : -1)
        if entries[0].revents != 0 { pending.clearEvent() }
    }

    private func isReadable(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: queue.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}
#endif
