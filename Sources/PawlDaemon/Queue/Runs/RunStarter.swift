internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Starts the runs of downloads: first in the store, then their tasks.
struct RunStarter {
    let parts: QueueParts

    /// A run that the store has recorded as started.
    struct Start: Sendable {
        fileprivate var row: WireDownload
        fileprivate var request: NewDownload
        fileprivate var target: RunningTargets.Target
    }

    /// What one transaction has recorded.
    struct Starts {
        fileprivate var starts: [Start] = []
        /// The downloads that wait for the end of a run with the same target.
        fileprivate var repetitions: [RunningTargets.Waiter] = []
        /// The number of downloads that failed before their start.
        private(set) var failures = 0

        fileprivate mutating func addFailure() { failures += 1 }
    }

    // MARK: - In the store

    /// Records that a run starts.
    func record(
        _ id: Int64,
        _ newName: NewName?,
        ended: Set<Int64>,
        _ transaction: StoreTransaction,
        _ starts: inout Starts
    ) throws {
        guard var row = try transaction.downloads.find(id), row.state == .waiting else { return }
        // An automatic retry is not a start for the user.
        let isRetry = (row.failures ?? 0) > 0
        do throws(DownloadError) {
            let request = try readRequest(id, transaction)
            let path = newName?.path ?? row.path
            let target = RunningTargets.Target(request, path: path, owner: row.owner)
            // A download whose files have already been renamed must start now.
            if newName == nil, let other = run(with: target, besides: id, ended, starts) {
                let entry = parts.retries.entry(of: row)
                starts.repetitions.append(.init(entry: entry, target: target, other: other))
                return
            }
            try newName?.apply(to: &row)
            row.state = .running
            row.problem = nil
            row.notBefore = nil
            starts.starts.append(Start(row: row, request: request, target: target))
        } catch {
            row.fail(error, at: transaction.now)
            starts.addFailure()
        }
        if row.state == .running, newName != nil {
            try transaction.renamings.set(nil, of: id)
            if let partial = newName?.partial {
                try transaction.writtenFiles.record(partial, of: id)
            }
        }
        try transaction.downloads.save(row)
        try transaction.attempts.countStart(of: id)
        let kind: WireEvent.Kind = row.state == .running ? .started : .failed
        try transaction.events.append(kind, row, at: transaction.now)
        if row.state == .failed {
            try parts.hooks.record(.error, row, transaction)
        } else if !isRetry {
            let request = starts.starts.last?.request
            try parts.hooks.record(.start, row, request: request, transaction)
        }
    }

    /// Returns a run with the same target, including those that start in this transaction.
    private func run(
        with target: RunningTargets.Target,
        besides id: Int64,
        _ ended: Set<Int64>,
        _ starts: Starts
    ) -> Int64? {
        starts.starts.first { $0.target.mayMeet(target) }?.row.id
            ?? parts.waiting.run(with: target, besides: id, ended: ended)
    }

    private func readRequest(
        _ id: Int64,
        _ transaction: StoreTransaction
    ) throws(DownloadError) -> NewDownload {
        let body: [UInt8]?
        do {
            body = try transaction.requests.request(of: id)
        } catch {
            throw transaction.explained(error, "reading the queue")
        }
        guard let body else {
            throw DownloadError(.unknown, "the settings of the download are no longer stored")
        }
        return try WireJSON.decode(NewDownload.self, from: body)
    }

    // MARK: - After the commit

    /// Starts the tasks of a recorded transaction; returns those that started, and those that
    /// cannot.
    func start(_ starts: Starts) -> (started: [StartedRun], unstarted: [EndedRun.Unstarted]) {
        var (started, unstarted) = ([StartedRun](), [EndedRun.Unstarted]())
        for start in starts.starts {
            do throws(DownloadError) {
                started.append(StartedRun(id: start.row.id, task: try begin(start)))
            } catch {
                unstarted.append(EndedRun.Unstarted(id: start.row.id, error: error))
            }
        }
        return (started, unstarted)
    }

    /// Queues the downloads behind the runs that they wait for; returns whether there are any.
    func queueRepetitions(_ starts: Starts) -> Bool {
        for waiter in starts.repetitions { parts.waiting.wait(waiter) }
        return !starts.repetitions.isEmpty
    }

    private func begin(_ start: Start) throws(DownloadError) -> DownloadTask {
        let (row, id) = (start.row, start.row.id)
        let folder = try Self.openFolder(of: row, start.request)
        let task = try makeTask(row, start.request, in: folder)
        let (store, owner) = (parts.environment.store, row.owner ?? .user)
        task.configure { next in
            // Other downloads may have another owner.
            next.cookies = CookieJar()
            next.ownerOfPartialFile = { store.ownerOfPartialFile($0, for: id, of: owner) }
            next.willFinish = {
                [weak announcements = parts.announcements] (file) async throws(DownloadError) in
                try await announcements?.announce(id, file)
            }
        }
        parts.retries.began(id, start.request.settings)
        parts.moves.began(id, start.request)
        parts.waiting.began(id, at: start.target)
        parts.environment.running.add(
            row,
            task,
            limits: parts.groupLimits(of: row),
            folder: folder
        )
        return task
    }

    /// Opens the folder again for each run: the path may lead to another folder by now.
    private static func openFolder(
        of row: WireDownload,
        _ request: NewDownload
    ) throws(DownloadError) -> ConfinedFolder? {
        guard let root = request.confinedTo, !ObjectAddress.isOne(root) else { return nil }
        let folder = (row.path ?? request.destination).pathFolder
        return try ConfinedFolder(folder, in: root, creates: true)
    }

    private func makeTask(
        _ row: WireDownload,
        _ request: NewDownload,
        in folder: ConfinedFolder?
    ) throws(DownloadError) -> DownloadTask {
        var checked = try request.checked()
        // The service of an object is that of the daemon's user, and not that of a client.
        let service = request.confinedTo == nil ? checked.settings.ofService : DownloadSettings()
        if request.confinedTo != nil {
            if case .object = checked.destination {
                try checkIsAllowed(row, request)
            } else if folder == nil {
                throw DownloadError(.directoryNotUsable, "its folder does not exist")
            }
            try checked.settings.connection.restrict(parts.settings.current)
        }
        if request.avoidsPrivateAddresses == true {
            checked.settings.connection.avoidPrivateAddresses()
        }
        if !parts.settings.current.usesMeteredNetwork {
            checked.settings.allowsExpensiveNetwork = false
        }
        if case .object(let url) = checked.destination {
            return try objectTask(row.id, checked, url, service)
        }
        var destination: TaskDestination
        switch checked.destination {
        // The file keeps its name, even if the server would give another one now.
        case _ where row.path != nil: destination = .file(row.path ?? "")
        case .file(let path): destination = .file(path)
        case .directory(let path): destination = .directory(path)
        case .object(let url): destination = .object(url)
        }
        if let folder { destination = destination.inside(folder) }
        // From the second run on there is a partial file of this download.
        if let data = checked.resumeData, row.path == nil {
            var resume = ResumeSettings()
            resume.url = checked.url
            resume.destination = checked.destination
            resume.adjustment = { [settings = checked.settings] in $0 = settings }
            return try parts.environment.session.downloadTask(withResumeData: data, resume)
        }
        let given = DownloadRequest(checked.url) { [settings = checked.settings] in $0 = settings }
        guard let key = request.storageKey else {
            return parts.environment.session.downloadTask(with: given, to: destination)
        }
        return parts.environment.session.downloadTask(
            given,
            to: destination,
            storageKey: StorageKey(key),
            replacing: request.replaces
        )
    }
}

/// Downloads that become objects.
extension RunStarter {
    /// Checks again whether a client over TCP may write the object: the settings may have changed.
    ///
    /// - Throws: `.notAllowed`.
    private func checkIsAllowed(
        _ row: WireDownload,
        _ request: NewDownload
    ) throws(DownloadError) {
        let url = row.path ?? request.destination
        guard let root = request.confinedTo, ObjectAddress.lies(url, in: root) else {
            throw DownloadError(
                .notAllowed,
                "\(url.sanitized) is not in the folder of the download"
            )
        }
        _ = try parts.settings.networkRules.root(of: url)
    }

    private func objectTask(
        _ id: Int64,
        _ checked: NewDownload.Checked,
        _ url: URL,
        _ service: DownloadSettings
    ) throws(DownloadError) -> DownloadTask {
        let environment = parts.environment
        var object = try ObjectDestination(
            url,
            connection: service.connection,
            credentials: nil,
            owner: ObjectOwner(ofQueue: parts.identity, download: id),
            ledger: StoredLedger(
                environment.store,
                download: id,
                parts.taken.ownership(of: id),
                service: service
            )
        )
        (object.ifExists, object.resumes) = (checked.settings.ifExists, checked.settings.resumes)
        let given = DownloadRequest(checked.url) { [settings = checked.settings] in $0 = settings }
        return environment.session.downloadTask(with: given, to: object)
    }
}

extension ConnectionSettings {
    /// Restricts the connections of what was added over TCP.
    ///
    /// - Throws: `.notAllowed` if they would need what they may not use.
    mutating func restrict(_ settings: DaemonSettings) throws(DownloadError) {
        allowsPrivateAddresses = settings.allowsPrivateAddresses
        actsForProcessOwner = false
        guard !usesTicket else { throw Self.ticketRefused }
    }

    /// Keeps a download from private addresses, except for that of a proxy that its owner may use.
    fileprivate mutating func avoidPrivateAddresses() {
        // Otherwise a client over TCP could name any private address as a proxy.
        allowsPrivateProxies = allowsPrivateAddresses
        allowsPrivateAddresses = false
    }

    /// A client over TCP must not sign in as the user of the daemon.
    private static let ticketRefused = DownloadError(
        .notAllowed,
        "a download that was added over TCP may not use the Kerberos ticket of the daemon's user",
        advice: "use the Unix socket: pawl add"
    )
}

extension TaskDestination {
    /// Returns the same file or folder, relative to a folder that is held open.
    fileprivate func inside(_ folder: ConfinedFolder) -> TaskDestination {
        switch self {
        case .file(let path): .file(folder.inside(path))
        case .directory: .directory(folder.innerFolder)
        default: self
        }
    }
}
