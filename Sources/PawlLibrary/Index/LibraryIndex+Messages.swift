package import struct FoundationEssentials.URL
package import PawlCore

/// The events that an index takes, and the actions that it returns.
extension LibraryIndex {
    package struct Ask: Sendable {
        package var url: URL?
        /// The name for the file if it has none yet.
        package var name: ExactText
        /// Whether the caller chose the name.
        package var isNameGiven = false
        package var policy: FinishedFilePolicy
        /// Whether the caller waits for the file.
        package var waits: Bool
        /// Whether somebody can be asked for another URL.
        package var renews = false

        package init(url: URL?, name: ExactText, policy: FinishedFilePolicy, waits: Bool) {
            self.url = url
            self.name = name
            self.policy = policy
            self.waits = waits
        }
    }

    package enum RunOutcome: Sendable {
        /// `wasFetched` is `false` if the server confirmed the old file.
        case finished(KnownFile, wasFetched: Bool)
        /// `reached` is the number of bytes of the file at the end of the run.
        case failed(DownloadError, reached: Int64)
        case stopped
        /// The daemon may have the download, but cannot be asked for it, for this reason.
        case unreachable(DownloadError)
    }

    package enum Event: Sendable {
        case asked(StorageKey, Ask)
        /// A caller stopped waiting for the file.
        case waitCancelled(StorageKey)
        case pauseAsked(StorageKey)
        case cancelAsked(StorageKey)
        case urlReplaced(StorageKey, URL)
        case urlGiven(StorageKey, RunID, URL?)
        case runEnded(StorageKey, RunID, RunOutcome)
        case folderChanged([FolderChange], [ExactText: FoundFile])
        /// The program itself wrote a file, or a file was verified again.
        case recorded(KnownFile)
        /// As `recorded`, if the key's file has not changed since `before` was read.
        case renewed(KnownFile, before: KnownFile)
        /// The program itself removed the key's file.
        case removed(StorageKey, KnownFile)
        /// The run's file gets this name, which was reserved.
        case named(StorageKey, RunID, ExactText)
        /// The daemon gets the run's download.
        case handedOver(StorageKey, RunID, PendingDownload.Background)
        /// The daemon has, or had, the key's download as the task of this number.
        case found(StorageKey, task: Int, renews: Bool)
        case closed
    }

    package struct Start: Sendable {
        package var run: RunID
        package var pending: PendingDownload
        /// The existing file, which is used if the server confirms it.
        package var revalidates: KnownFile?
        /// The file that the new one replaces, as it was last seen.
        package var replaced: KnownFile?
        /// The names under which another process may have put the key's file.
        ///
        /// As far as is known, other files have these names.
        package var mayBeAt: [ExactText] = []
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
        case check(ExactText)
        /// Move a file's record to its new name.
        case moveRecord(from: ExactText, to: ExactText)
        case report(LibraryEvent)
    }
}
