internal import FoundationEssentials
internal import Pawl
package import PawlCore
internal import PawlWire

/// Makes a queue anew from what a damaged one still tells, and from the checkpoints of partial files.
///
/// A download whose request can be read goes on as if nothing had happened. Of others the settings are
/// lost, above all what signs in: they are paused, and their problem says so.
package struct QueueRebuild {
    let path: String
    let store: DaemonStore
    private let keeper: String?

    /// `keeper`: whose sign the queue's partial files bear; nil where an earlier version has signed none, so
    /// that any may be the queue's.
    package init(path: String, store: DaemonStore, keeper: String?) {
        (self.path, self.store, self.keeper) = (path, store, keeper)
    }

    /// What became of it, for the log; nil where there was nothing to do.
    ///
    /// All of it is one transaction: one that was broken off is done with the next start.
    package func run() throws(DownloadError) -> String? {
        let number = store.damaged
        guard number > 0, try store.write({ try $0.isToRebuild(from: number) }) else { return nil }
        let salvaged = SalvagedQueue(path: StoreFiles.damaged(number, of: path))
        let found = found(beside: salvaged)
        let outcome = try store.write { transaction in
            var outcome = Outcome()
            // Who has seen events of the old one must take none of these for one of them.
            let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
            try transaction.continueEvents(above: max(now, salvaged.lastEvent))
            for session in salvaged.sessions {
                let owner = salvaged.sessionOwners[session.identifier] ?? .user
                try transaction.register(session, by: owner, at: Date())
            }
            for item in salvaged.items { try add(item, &outcome, transaction) }
            try transaction.continueIDs(with: salvaged.lastDownload + 1)
            for item in found { try add(item.path, item.checkpoint, &outcome, transaction) }
            try transaction.setRebuilt(from: number)
            return outcome
        }
        let missing = Self.missing(salvaged.expected, outcome)
        guard outcome.whole + outcome.paused > 0 else {
            return "nothing of the queue was found; \(missing)"
        }
        return "the queue was made anew; downloads that go on: \(outcome.whole), "
            + "paused as their settings are lost: \(outcome.paused), \(missing)"
    }

    private static func missing(_ expected: Int?, _ outcome: Outcome) -> String {
        guard let expected else { return "missing: unknown, because the count is lost, too" }
        return "missing: \(max(0, expected - outcome.whole - outcome.paused))"
    }

    private struct Outcome {
        var whole = 0
        var paused = 0
        var position: Int64 = 0
    }

    private typealias Found = (path: String, checkpoint: CheckpointDescription)

    /// Partial files of this queue that none of the salvaged downloads has: those that another program, or
    /// `pawl` in the foreground, has left there are not the queue's.
    private func found(beside salvaged: SalvagedQueue) -> [Found] {
        var folders = FolderRecord.read(StoreFiles.folders(of: path))
        for place in salvaged.destinations {
            if let slash = place.lastIndex(of: "/") { folders.insert(String(place[...slash])) }
        }
        let known = Set(salvaged.items.flatMap { [$0.path, $0.destination].compactMap { $0 } })
        return folders.filter { $0.hasPrefix("/") }.sorted()
            .flatMap(UnfinishedFiles.checkpoints)
            .filter { !known.contains($0.path) && isOwn($0.checkpoint) }
    }

    private func isOwn(_ checkpoint: CheckpointDescription) -> Bool {
        keeper.map { checkpoint.isKept(by: $0) } ?? true
    }

    // MARK: - Adding

    private func add(
        _ item: SalvagedQueue.Item,
        _ outcome: inout Outcome,
        _ transaction: StoreTransaction
    ) throws {
        let request = item.request
        var row = WireDownload(
            id: 0,
            state: item.isPaused || request == nil ? .paused : .waiting,
            name: item.name.sanitized,
            url: item.url.sanitized,
            createdAt: item.createdAt
        )
        row.destination = item.destination.sanitized
        row.priority = WirePriority(item.priority)
        row.position = item.position
        row.session = item.session
        // What is kept to a folder was added over TCP.
        row.owner = item.owner ?? (request?.confinedTo == nil ? .user : .unnamedProgram)
        row.taskIdentifier = item.taskIdentifier
        row.taskDescription = item.taskDescription
        row.notBefore = item.notBefore
        row.mirrors = request?.shownMirrors
        row.limitBytesPerSecond = request?.settings?[\.limitBytesPerSecond] ?? nil
        row.path = item.path
        (row.completedBytes, row.totalBytes) = (item.completedBytes, item.totalBytes)
        if request == nil { row.problem = Problem(Self.lost) }
        var known = request ?? NewDownload(url: item.url, destination: item.destination)
        // The bounds of one that a program has added are lost with its request: they are no wider than that.
        if request == nil, row.owner != .user {
            known.confinedTo = PathNames.folder(of: item.path ?? item.destination)
        }
        try transaction.continueIDs(with: item.id)
        try add(row, known, transaction)
        outcome.position = max(outcome.position, item.position)
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
            name: path.split(separator: "/").last.map { String($0).sanitized } ?? "",
            url: checkpoint.source,
            createdAt: Date()
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
        try add(row, request, transaction)
    }

    private func add(
        _ row: WireDownload,
        _ request: NewDownload,
        _ transaction: StoreTransaction
    ) throws {
        var row = row
        row.id = try transaction.insert(row, request: try WireJSON.encode(request))
        // What is not inserted is saved.
        try transaction.save(row)
        try transaction.setLimit(row.limitBytesPerSecond, of: row.id)
        try transaction.append(.added, row, at: Date())
        if row.problem != nil { try transaction.append(.paused, row, at: Date()) }
    }

    private static let lost = DownloadError(
        .unknown,
        "the queue was damaged: this download was found again, and its settings are lost",
        advice:
            "look whether its URL is right, which may need its name, password or signature again "
            + "(pawl set --url); then pawl resume"
    )
}
