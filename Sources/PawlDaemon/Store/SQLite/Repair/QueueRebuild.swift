internal import FoundationEssentials
internal import Pawl
package import PawlCore
internal import PawlWire

/// Rebuilds a queue from the readable part of a damaged one, and from the checkpoints of partial
/// files.
///
/// A download whose request can be read continues. The settings of the others are lost, including
/// their credentials: they are paused with a problem that explains this. `QueueAccess` lets only
/// the user resume them, unless they are confined to a folder. The settings of the daemon that can
/// be read are kept; they do not contain what a single download was confined to.
package struct QueueRebuild {
    let path: String
    let store: SQLiteStore
    private let identity: String?

    /// `identity`: the identity of the queue in its checkpoints; `nil` if an earlier version has
    /// written none, so that any partial file may be the queue's.
    package init(path: String, store: SQLiteStore, identity: String?) {
        (self.path, self.store, self.identity) = (path, store, identity)
    }

    /// Rebuilds the queue; returns a note for the log, or `nil` if there was nothing to do.
    ///
    /// Also in a new database, ids that were used are not used again.
    package func run() throws(DownloadError) -> String? {
        let last = CommitMark(file: StoreFiles.last(of: path))
        let note = try rebuild(last)
        if let last { try store.write { try $0.continueIDs(after: last) } }
        return note
    }

    /// It is one transaction: if it is interrupted, the next start repeats it.
    private func rebuild(_ last: CommitMark?) throws(DownloadError) -> String? {
        let number = store.damaged
        guard number > 0, try store.write({ try $0.isToRebuild(from: number) }) else {
            return nil
        }
        let salvaged = SalvagedQueue(path: StoreFiles.damaged(number, of: path), last: last)
        let found = found(beside: salvaged)
        let outcome = try store.write { transaction in
            var outcome = Outcome()
            // A reader of the old queue must not take the new events for old ones.
            let now = Int64(transaction.now.timeIntervalSince1970 * 1_000_000)
            let lastEvent = max(now, salvaged.lastEvent)
            try transaction.continueIDs(after: CommitMark(lastEvent: lastEvent))
            for session in salvaged.sessions {
                let owner = salvaged.sessionOwners[ExactText(session.identifier)] ?? .user
                try transaction.sessions.register(session, by: owner, at: transaction.now)
            }
            for label in salvaged.labels { try transaction.labels.set(label) }
            if salvaged.settings.extent != .none {
                try transaction.settings.set(salvaged.settings.settings)
            }
            try salvaged.feeds.add(to: transaction, at: transaction.now)
            for item in salvaged.items { try add(item, &outcome, transaction) }
            try transaction.continueIDs(after: CommitMark(lastDownload: salvaged.lastDownload))
            for item in found { try add(item.path, item.checkpoint, &outcome, transaction) }
            try transaction.settings.setRebuilt(from: number)
            return outcome
        }
        let missing =
            "\(Self.missing(salvaged.expected, outcome)); \(salvaged.settings.note)"
        guard outcome.whole + outcome.paused > 0 else {
            return "no download of the damaged queue was recovered; \(missing)"
        }
        return "the queue was rebuilt; downloads that continue: \(outcome.whole), "
            + "downloads paused because their settings are lost: \(outcome.paused), \(missing)"
    }

    private static func missing(_ expected: Int?, _ outcome: Outcome) -> String {
        guard let expected else { return "downloads missing: an unknown number" }
        return "downloads missing: \(max(0, expected - outcome.whole - outcome.paused))"
    }

    private struct Outcome {
        var whole = 0
        var paused = 0
        var position: Int64 = 0
    }

    private typealias Found = (path: String, checkpoint: CheckpointDescription)

    /// Returns the partial files of this queue that belong to no salvaged download.
    ///
    /// Partial files of other programs, or of `pawl` in the foreground, are not among them.
    private func found(beside salvaged: SalvagedQueue) -> [Found] {
        var folders = FolderRecord.read(StoreFiles.folders(of: path))
        for path in salvaged.destinations {
            folders.insert(ExactText(path.text.pathFolder))
        }
        var known = Set(salvaged.items.flatMap(\.paths).map(Self.resolved))
        return folders.map(\.text).filter(\.isAbsolutePath).sorted()
            .flatMap(UnfinishedFiles.checkpoints)
            .filter { isOwn($0.checkpoint) && known.insert(Self.resolved($0.path)).inserted }
    }

    /// Returns the path of a file without links in its folder: two folders of the record may be
    /// the same.
    private static func resolved(_ path: String) -> ExactText {
        ExactText(FolderSpelling.resolved(path.pathFolder).asFolderPath + path.pathFile)
    }

    private func isOwn(_ checkpoint: CheckpointDescription) -> Bool {
        identity.map { checkpoint.belongs(toQueue: $0) } ?? true
    }

    // MARK: - Adding

    private func add(
        _ item: SalvagedQueue.Item,
        _ outcome: inout Outcome,
        _ transaction: StoreTransaction
    ) throws {
        let request = item.request
        var row = item.row
        var known = request ?? NewDownload(url: row.url, destination: row.destination)
        // A download that is confined to a folder was added over TCP.
        row.owner = row.owner ?? (request?.confinedTo == nil ? .user : .unnamedProgram)
        if request == nil {
            row.state = .paused
            row.problem = Problem(Self.lost)
            // The folder that a program was confined to is lost with its request. The folder used
            // here is not wider.
            if row.owner != .user {
                known.confinedTo = (row.path ?? row.destination).pathFolder
            }
        }
        (row.name, row.url) = (row.name.sanitized, row.url.sanitized)
        row.destination = row.destination.sanitized
        row.mirrors = request?.shownMirrors
        row.limitBytesPerSecond = request?.settings?[\.limitBytesPerSecond] ?? nil
        try transaction.continueIDs(after: CommitMark(lastDownload: row.id - 1))
        let id = try add(row, known, transaction)
        // Without this record, a program's download could not continue its partial file.
        for file in item.writtenFiles { try transaction.writtenFiles.record(file, of: id) }
        if let gid = item.gid.flatMap(Aria2GIDs.normalized),
            try transaction.gids.download(of: gid) == nil
        {
            try transaction.gids.set(gid, of: id)
        }
        outcome.position = max(outcome.position, row.position)
        if request == nil { outcome.paused += 1 } else { outcome.whole += 1 }
    }

    private func add(
        _ path: String,
        _ checkpoint: CheckpointDescription,
        _ outcome: inout Outcome,
        _ transaction: StoreTransaction
    ) throws {
        outcome.position += 1
        outcome.paused += 1
        var row = WireDownload(
            id: 0,
            state: .paused,
            name: path.pathNames.last.map { String($0).sanitized } ?? "",
            url: checkpoint.source,
            createdAt: transaction.now
        )
        (row.destination, row.path) = (path.sanitized, path)
        row.position = outcome.position
        row.completedBytes = checkpoint.usableBytes
        row.totalBytes = checkpoint.totalBytes
        row.problem = Problem(Self.lost)
        var request = NewDownload(url: checkpoint.source, destination: path)
        if !checkpoint.mirrors.isEmpty {
            var settings = SettingsDocument<DownloadSettings>()
            settings[\.mirrors] = checkpoint.mirrors.compactMap { URL(string: $0) }
            request.settings = settings
        }
        row.mirrors = request.shownMirrors
        _ = try add(row, request, transaction)
    }

    private func add(
        _ row: WireDownload,
        _ request: NewDownload,
        _ transaction: StoreTransaction
    ) throws -> Int64 {
        var row = row
        row.id = try transaction.downloads.insert(row, request: RequestTable.Entry(request))
        // `insert` does not write all columns.
        try transaction.downloads.save(row)
        try transaction.downloads.setLimit(row.limitBytesPerSecond, of: row.id)
        try transaction.events.append(.added, row, at: transaction.now)
        if row.problem != nil { try transaction.events.append(.paused, row, at: transaction.now) }
        return row.id
    }

    private static let lost = DownloadError(
        .settingsLost,
        "the queue was damaged: this download was recovered, but its settings are lost",
        advice:
            "check its URL, which may need its user name, password or signature again "
            + "(pawl set --url); then pawl resume"
    )
}
