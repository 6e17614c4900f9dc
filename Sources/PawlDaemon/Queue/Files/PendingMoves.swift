internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The moves of finished files that rules ask for.
///
/// A file is moved after its run has ended and before the store records that end, so that nobody
/// is told the old path. The move is recorded before.
final class PendingMoves {
    private let environment: QueueEnvironment
    private let settings: QueueSettings
    private let taken: TakenDownloads
    /// The rules of the running downloads whose files may be moved.
    private var rules: [Int64: [MoveRule]] = [:]
    /// The moves that an earlier daemon has not finished.
    private var queued: [RecoveredMove] = []
    /// The files of runs that are being moved, under their old names.
    private var moving: [Int64: WrittenFile] = [:]
    /// The moves that an earlier daemon has not finished, until their ends are recorded.
    private var recovered: [Int64: RecoveredMove] = [:]

    init(
        _ environment: QueueEnvironment,
        _ settings: QueueSettings,
        _ taken: TakenDownloads
    ) {
        (self.environment, self.settings, self.taken) = (environment, settings, taken)
    }

    // MARK: - Runs

    /// Keeps the rules of a run that begins.
    ///
    /// The program of a background session is told a path, and a library relies on the name.
    func began(_ id: Int64, _ request: NewDownload) { rules[id] = Self.rules(request) }

    /// The own rules of a download; `nil` if its file is never moved.
    private static func rules(_ request: NewDownload) -> [MoveRule]? {
        guard request.taskIdentifier == nil, request.storageKey == nil else { return nil }
        return request.settings?.validSettings.moveRules ?? []
    }

    /// Whether a rule may move the file of a run.
    func mayMove(_ id: Int64) -> Bool { rules(of: id)?.isEmpty == false }

    /// The rules for the file of a run; `nil` if its file is never moved.
    private func rules(of id: Int64) -> [MoveRule]? {
        rules[id].map { $0 + settings.current.moveRules }
    }

    func ended(_ id: Int64) {
        rules[id] = nil
        moving[id] = nil
    }

    /// Whether the complete file of a download is being moved: the download has an end that is not
    /// recorded yet.
    func isMoving(_ id: Int64) -> Bool { movingFile(of: id) != nil }

    /// The complete file of a download that is being moved, under its old name; `nil` if there is
    /// none.
    func movingFile(of id: Int64) -> WrittenFile? { moving[id] ?? recovered[id]?.job.file }

    /// Records that the file of a run is to be moved; returns the job to do so, or `nil` if the
    /// file stays where it is.
    ///
    /// `announced` is the file as it was announced before it got its name.
    ///
    /// - Throws: `.storeUnavailable` if that could not be recorded, which is to be tried again:
    ///   otherwise the rule would be lost.
    func job(
        for file: DownloadedFile,
        of id: Int64,
        announced: WrittenFile?,
        mediaType: String?
    ) throws(DownloadError) -> MoveJob? {
        guard let rules = rules(of: id), !rules.isEmpty, !file.wasAlreadyThere,
            var written = announced, written.kind == .finished
        else { return nil }
        written.path = environment.running.folder(of: id)?.shown(file.path) ?? file.path
        let job = try record(rules, for: written, of: id, mediaType) { $0.isActive }
        moving[id] = job?.file
        return job
    }

    private func record(
        _ rules: [MoveRule],
        for file: WrittenFile,
        of id: Int64,
        _ mediaType: String?,
        inState isMoved: (TaskState) -> Bool
    ) throws(DownloadError) -> MoveJob? {
        do throws(DownloadError) {
            return try environment.store.writeInAnyCase { transaction in
                guard try taken.stale(of: [id], transaction).isEmpty,
                    let row = try transaction.downloads.find(id), isMoved(row.state),
                    let folder = Self.folder(rules, for: file, row, mediaType)
                else { return nil }
                let move = MoveJob(
                    download: id,
                    file: file,
                    folder: folder,
                    root: try transaction.requests.confiningFolder(of: id)
                )
                try transaction.intentions.add(move)
                return move
            }
        } catch {
            if error.code == .storeUnavailable { throw error }
            environment.logger.warning("the file of download \(id) is not moved: \(error)")
            return nil
        }
    }

    private static func folder(
        _ rules: [MoveRule],
        for file: WrittenFile,
        _ row: WireDownload,
        _ mediaType: String?
    ) -> String? {
        var facts = FinishedFacts(name: String(file.path.pathFile), size: file.stamp.size)
        facts.host = URL(string: row.url)?.host(percentEncoded: false)
        facts.mediaType = mediaType
        (facts.session, facts.label) = (row.session, row.label)
        return rules.folder(for: facts, home: UserHome.path)?.asFolderPath
    }

    // MARK: - Recovery

    /// Records that a complete file is to be moved that an earlier daemon has given its name; `nil`
    /// if it stays where it is.
    ///
    /// The media type is that of the response that was recorded with the name of the file.
    func job(forRecovered file: WrittenFile, of id: Int64) throws(DownloadError) -> MoveJob? {
        let (request, response) = try environment.store.write { transaction in
            (
                try transaction.requests.request(of: id),
                try transaction.downloads.find(id)?.response
            )
        }
        // A request that cannot be read has no rules.
        let own = request.flatMap { try? WireJSON.decode(NewDownload.self, from: $0) }
            .flatMap(Self.rules)
        guard let rules = own.map({ $0 + settings.current.moveRules }), !rules.isEmpty,
            file.kind == .finished
        else { return nil }
        return try record(rules, for: file, of: id, response?.response?.mediaType) { state in
            // A node gives its downloads back when it ends: then they wait.
            state.isActive || state == .waiting
        }
    }

    func queue(_ moves: [RecoveredMove]) {
        queued += moves
        for move in moves { recovered[move.job.download] = move }
    }

    /// Forgets a recovered move whose end is recorded.
    func finished(_ id: Int64) { recovered[id] = nil }

    /// Returns the queued moves, which the caller carries out.
    func takeQueued() -> [RecoveredMove] {
        defer { queued = [] }
        return queued
    }
}

/// A complete file that an earlier daemon was about to move.
struct RecoveredMove: Sendable {
    var job: MoveJob
    /// The record that the file gets its name.
    var finishing: Int64
}
