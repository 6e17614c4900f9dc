internal import FoundationEssentials
internal import GRDB
internal import PawlCore
internal import PawlWire

/// The unfinished downloads that can be read from a damaged store.
///
/// Any value may have the wrong type, so each one is checked.
struct SalvagedQueue {
    struct Item {
        /// The row as it was read: its texts may not be safe to show.
        ///
        /// It is paused or waiting. Its owner is `nil` if it is lost, or if an older version has
        /// not recorded it.
        var row: WireDownload
        /// `nil` if it is lost or invalid.
        var request: NewDownload?
        /// The GID that a client of aria2 has chosen.
        var gid: String?
        /// What remains of the record of its files.
        var writtenFiles: [WrittenFile] = []

        /// The path of its file if it is known, and its destination.
        var paths: [String] { [row.path, row.destination].compactMap { $0 } }
    }

    /// The downloads, by id.
    var items: [Item] = []
    /// The destinations of all downloads, including ended ones.
    var destinations: Set<ExactText> = []
    /// The sessions that processes have registered.
    var sessions: [SessionRegistration] = []
    /// The settings of the labels.
    var labels: [LabelSettings] = []
    /// The owners of the sessions; a session without one belongs to the user.
    var sessionOwners: [ExactText: DownloadOwner] = [:]
    /// The settings of the daemon.
    var settings = SalvagedSettings()
    var feeds = SalvagedFeeds()
    /// The newest known id of a download; 0 if none is known.
    var lastDownload: Int64 = 0
    var lastEvent: Int64 = 0
    /// The number of unfinished downloads that the queue had counted; `nil` if it is lost.
    var expected: Int?

    /// The maximum number of downloads that are read; a higher number is a sign of other damage.
    private static let mostItems = 1_000_000

    /// Reads as much as possible, from both ends.
    ///
    /// `last`: what the store contained when a daemon last closed it; `nil` if that is not known.
    init(path: String, last: CommitMark?) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cell_size_check = ON") }
        // The marker has the last ids, even if the database lacks them.
        let mark = CommitMark(file: StoreFiles.marker(of: path)) ?? last ?? CommitMark()
        (lastDownload, lastEvent) = (mark.lastDownload, mark.lastEvent)
        // A database that cannot be opened holds nothing of use.
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else {
            return
        }
        lastDownload = max(lastDownload, Self.number(Self.lastDownload, queue))
        items = Self.items(queue, last: lastDownload)
        // A count that lacks changes would be wrong.
        let commits = try? queue.read { try StoreTransaction($0).commits() }
        expected = mark.commits > commits ?? mark.commits ? nil : Self.count(queue)
        let isCurrent = commits.map { mark.commits <= $0 } ?? false
        settings = SalvagedSettings(queue, isCurrent: isCurrent)
        feeds = SalvagedFeeds(queue)
        for index in items.indices {
            let id = items[index].row.id
            items[index].request = try? queue.read { try Self.request(of: id, $0) }
            let files = try? queue.read { try StoreTransaction($0).writtenFiles.files(of: id) }
            items[index].writtenFiles = files ?? []
        }
        let ids = items.map(\.row.id).max() ?? 0
        lastDownload = max(ids, lastDownload)
        for sql in Self.lastEvents { lastEvent = max(lastEvent, Self.number(sql, queue)) }
        sessions = Self.sessions(queue, items, &sessionOwners)
        labels = Self.labels(queue)
        destinations.formUnion(items.flatMap(\.paths).map { ExactText($0) })
        // This comes last: it reads rows of all states, and may fail at any of them.
        try? queue.read { database in
            let sql =
                "SELECT DISTINCT COALESCE(path, destination) FROM download NOT INDEXED LIMIT 100000"
            let rows = try Row.fetchCursor(database, sql: sql)
            while let row = try rows.next() {
                if let path = String.fromDatabaseValue(row[0]) {
                    destinations.insert(ExactText(path))
                }
            }
        }
        try? queue.close()
    }

    /// Reads the rows from both ends up to the damage, and the rows between one by one.
    private static func items(_ queue: DatabaseQueue, last: Int64) -> [Item] {
        var found: [Int64: Item] = [:]
        // Where reading from the lowest and from the highest id stopped; `nil` if that end is
        // damaged.
        var (ascendingEnd, descendingEnd): (Int64?, Int64?)
        func isWhole(_ order: String, _ end: inout Int64?) -> Bool {
            // Reading stops where the damage begins.
            (try? queue.read { try read($0, order, &found, &end) }) != nil
        }
        if isWhole("ASC", &ascendingEnd) || isWhole("DESC", &descendingEnd) {
            return found.values.sorted { $0.row.id < $1.row.id }
        }
        let low = (ascendingEnd ?? 0) + 1
        let high = (descendingEnd ?? last + 1) - 1
        if low <= high {
            try? queue.read { database in
                for id in low...min(high, low + mostProbes) where found[id] == nil {
                    // Any of these rows may be on a damaged page.
                    guard let item = try? probe(id, database) else { continue }
                    found[id] = item
                }
            }
        }
        return found.values.sorted { $0.row.id < $1.row.id }
    }

    /// The maximum number of rows that are read one by one.
    private static let mostProbes: Int64 = 1_000_000

    private static func probe(_ id: Int64, _ database: Database) throws -> Item? {
        let sql = "SELECT * FROM download WHERE id = ? AND endedAt IS NULL"
        return try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [id]).flatMap(item)
    }

    private static func count(_ queue: DatabaseQueue) -> Int? {
        let states = TaskState.allCases.filter { !$0.isEnd }.map { "'\($0.rawValue)'" }
        let questions = [
            "SELECT SUM(count) FROM tally WHERE state IN (\(states.joined(separator: ", ")))",
            "SELECT COUNT(*) FROM download INDEXED BY downloadUnfinished WHERE endedAt IS NULL",
        ]
        let counts = questions.compactMap { sql in
            // A count that cannot be read is left out.
            (try? queue.read { try Int.fetchOne($0, sql: sql) }) ?? nil
        }
        return counts.filter { (0...mostItems).contains($0) }.max()
    }

    /// The maximum id that is accepted; a higher one is a sign of damage.
    private static let mostID: Int64 = 1 << 53

    private static let lastDownload = "SELECT seq FROM sqlite_sequence WHERE name = 'download'"
    // The first is of an earlier version.
    private static let lastEvents = [
        "SELECT seq FROM sqlite_sequence WHERE name = 'event'",
        "SELECT value FROM counter WHERE name = 'event'",
    ]

    private static func number(_ sql: String, _ queue: DatabaseQueue) -> Int64 {
        let row = try? queue.read { try Row.fetchOne($0, sql: sql) }
        guard let row, let number = Int64.fromDatabaseValue(row[0]),
            (1...mostID).contains(number)
        else { return 0 }
        return number
    }

    /// Returns the sessions, including those that only a task names.
    private static func sessions(
        _ queue: DatabaseQueue,
        _ items: [Item],
        _ owners: inout [ExactText: DownloadOwner]
    ) -> [SessionRegistration] {
        var found: [ExactText: SessionRegistration] = [:]
        for item in items where item.row.taskIdentifier != nil {
            guard let name = item.row.session.map({ ExactText($0) }) else { continue }
            found[name] = SessionRegistration(identifier: name.text)
        }
        // Reading stops where the damage begins.
        try? queue.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM session")
            while let row = try rows.next(), found.count < mostSessions {
                guard let identifier: String = value("identifier", of: row) else { continue }
                let name = ExactText(identifier)
                let command: String? = value("relaunchCommand", of: row)
                var session = SessionRegistration(
                    identifier: identifier,
                    relaunchCommand: ColumnCoding.value(command)
                )
                session.maximumConcurrentDownloads =
                    value("maximumConcurrentDownloads", of: row)
                session.limitBytesPerSecond = value("limitBytesPerSecond", of: row)
                found[name] = session
                owners[name] = owner(of: row)
            }
        }
        return found.values.filter { (try? $0.check()) != nil }
            .sorted { $0.identifier < $1.identifier }
    }

    private static let mostSessions = 10_000

    private static func labels(_ queue: DatabaseQueue) -> [LabelSettings] {
        var found: [LabelSettings] = []
        // Reading stops where the damage begins.
        try? queue.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM label")
            while let row = try rows.next(), found.count < LabelTable.most {
                guard let name: String = value("name", of: row) else { continue }
                var label = LabelSettings(name: name)
                label.folder = value("folder", of: row)
                label.limitBytesPerSecond = value("limitBytesPerSecond", of: row)
                let priority: Int? = value("priority", of: row)
                label.priority = priority.flatMap(DownloadPriority.init).map(WirePriority.init)
                if (try? label.check()) != nil { found.append(label) }
            }
        }
        return found
    }

    private static func read(
        _ database: Database,
        _ order: String,
        _ found: inout [Int64: Item],
        _ end: inout Int64?
    ) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT * FROM download NOT INDEXED WHERE endedAt IS NULL ORDER BY id \(order)"
        )
        while let row = try rows.next(), found.count < mostItems {
            guard let item = item(row) else { continue }
            let id = item.row.id
            end = id
            if found[id] == nil { found[id] = item }
        }
    }

    private static func item(_ row: Row) -> Item? {
        let state: String? = value("state", of: row)
        guard let id: Int64 = value("id", of: row), id > 0,
            let state = state.flatMap(TaskState.init),
            let destination: String = value("destination", of: row)
        else { return nil }
        var download = WireDownload(
            id: id,
            state: state == .paused || state == .suspended ? .paused : .waiting,
            name: value("name", of: row) ?? "",
            url: value("url", of: row) ?? "",
            createdAt: date("createdAt", of: row) ?? Date()
        )
        download.destination = destination
        download.path = value("path", of: row)
        let priority: Int? = value("priority", of: row)
        download.priority = WirePriority(priority.flatMap(DownloadPriority.init) ?? .normal)
        download.position = value("position", of: row) ?? id
        download.session = value("session", of: row)
        download.label = label(of: row)
        download.owner = owner(of: row)
        download.taskIdentifier = value("taskIdentifier", of: row)
        download.taskDescription = value("taskDescription", of: row)
        download.notBefore = date("notBefore", of: row)
        download.completedBytes = max(0, value("completedBytes", of: row) ?? 0)
        download.totalBytes = value("totalBytes", of: row)
        // An earlier rebuild may have lost the settings.
        let text: String? = value("problem", of: row)
        let problem: Problem? = ColumnCoding.value(text)
        if problem?.code == .settingsLost { download.problem = problem }
        return Item(row: download, gid: value("gid", of: row))
    }

    private static func label(of row: Row) -> String? {
        guard let label: String = value("label", of: row), (try? LabelName.check(label)) != nil
        else { return nil }
        return label
    }

    private static func owner(of row: Row) -> DownloadOwner? {
        let text: String? = value("owner", of: row)
        return text.flatMap { DownloadOwner($0) }
    }

    /// Returns `nil` if the value has another type, or does not exist.
    ///
    /// If it were inlined, the optimizer of Swift 6.3 would crash.
    @inline(never)
    private static func value<Value: DatabaseValueConvertible>(
        _ name: String,
        of row: Row
    ) -> Value? {
        Value.fromDatabaseValue(row[name] ?? .null)
    }

    private static func date(_ name: String, of row: Row) -> Date? {
        let seconds: Double? = value(name, of: row)
        return seconds.map { Date(timeIntervalSince1970: $0) }
    }

    private static func request(of id: Int64, _ database: Database) throws -> NewDownload? {
        let sql = "SELECT body FROM request WHERE download = ?"
        let row = try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [id])
        guard let row, let body = Data.fromDatabaseValue(row[0]) else { return nil }
        let request = try WireJSON.decode(NewDownload.self, from: body)
        _ = try request.checked()
        return request
    }
}
