internal import FoundationEssentials
internal import GRDB
internal import PawlCore
internal import PawlWire

/// What a damaged store still tells of downloads that have not ended.
///
/// Nothing of it is believed to have the right form: each value is looked at.
struct SalvagedQueue {
    struct Item {
        var id: Int64
        var name: String
        var url: String
        var destination: String
        var path: String?
        var isPaused: Bool
        var priority: DownloadPriority
        var position: Int64
        var session: String?
        /// Nil where it is lost, or an older version has not recorded it.
        var owner: DownloadOwner?
        var taskIdentifier: Int64?
        var taskDescription: String?
        var notBefore: Date?
        var createdAt: Date
        var completedBytes: Int64
        var totalBytes: Int64?
        /// Nil where it is lost, or makes no sense.
        var request: NewDownload?
    }

    /// By id.
    var items: [Item] = []
    /// Where any download went, also one that has ended.
    var destinations: Set<String> = []
    /// Those that processes have asked for.
    var sessions: [SessionRegistration] = []
    /// Who has registered them; one that is lost is the user's.
    var sessionOwners: [String: DownloadOwner] = [:]
    /// The newest ids that were given, as far as that can be told; 0 where it cannot.
    var lastDownload: Int64 = 0
    var lastEvent: Int64 = 0
    /// How many had not ended, as the queue had counted them; nil where that is lost, too.
    var expected: Int?

    /// More are not read: something else is wrong then.
    private static let mostItems = 1_000_000

    /// Reads as far as it goes, from both ends.
    init(path: String) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cell_size_check = ON") }
        // What cannot be opened tells nothing.
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else {
            return
        }
        lastDownload = Self.last("download", queue)
        items = Self.items(queue, last: lastDownload)
        expected = Self.count(queue)
        for index in items.indices {
            items[index].request = try? queue.read { try Self.request(of: items[index].id, $0) }
        }
        let ids = items.map(\.id).max() ?? 0
        lastDownload = max(ids, lastDownload)
        lastEvent = Self.last("event", queue)
        sessions = Self.sessions(queue, items, &sessionOwners)
        destinations.formUnion(items.flatMap { [$0.path, $0.destination].compactMap { $0 } })
        // Best done at last: this reads rows of all states, and may end anywhere.
        try? queue.read { database in
            let sql =
                "SELECT DISTINCT COALESCE(path, destination) FROM download NOT INDEXED LIMIT 100000"
            let rows = try Row.fetchCursor(database, sql: sql)
            while let row = try rows.next() {
                if let place = String.fromDatabaseValue(row[0]) { destinations.insert(place) }
            }
        }
        try? queue.close()
    }

    /// From both ends up to the damage, and what is between them one by one.
    private static func items(_ queue: DatabaseQueue, last: Int64) -> [Item] {
        var found: [Int64: Item] = [:]
        // Where reading from the lowest id stopped, and from the highest; `nil` if that end is damaged.
        var (ascendingEnd, descendingEnd): (Int64?, Int64?)
        func isWhole(_ order: String, _ end: inout Int64?) -> Bool {
            // Reading stops where the damage begins.
            (try? queue.read { try read($0, order, &found, &end) }) != nil
        }
        if isWhole("ASC", &ascendingEnd) || isWhole("DESC", &descendingEnd) {
            return found.values.sorted { $0.id < $1.id }
        }
        let low = (ascendingEnd ?? 0) + 1
        let high = (descendingEnd ?? last + 1) - 1
        if low <= high {
            try? queue.read { database in
                for id in low...min(high, low + mostProbes) where found[id] == nil {
                    // Each may lie on a damaged page.
                    guard let item = try? probe(id, database) else { continue }
                    found[id] = item
                }
            }
        }
        return found.values.sorted { $0.id < $1.id }
    }

    /// More are not looked at one by one.
    private static let mostProbes: Int64 = 1_000_000

    private static func probe(_ id: Int64, _ database: Database) throws -> Item? {
        let sql = "SELECT * FROM download WHERE id = ? AND endedAt IS NULL"
        return try Row.fetchOne(try database.cachedStatement(sql: sql), arguments: [id])
            .flatMap(item)
    }

    private static func count(_ queue: DatabaseQueue) -> Int? {
        let states = TaskState.allCases.filter { !$0.isEnd }.map { "'\($0.rawValue)'" }
        let questions = [
            "SELECT SUM(count) FROM tally WHERE state IN (\(states.joined(separator: ", ")))",
            "SELECT COUNT(*) FROM download INDEXED BY downloadUnfinished WHERE endedAt IS NULL",
        ]
        let counts = questions.compactMap { sql in
            // What cannot be read tells nothing.
            (try? queue.read { try Int.fetchOne($0, sql: sql) }) ?? nil
        }
        return counts.filter { (0...mostItems).contains($0) }.max()
    }

    /// Higher than it can be is damage.
    private static let mostID: Int64 = 1 << 53

    private static func last(_ table: String, _ queue: DatabaseQueue) -> Int64 {
        let row = try? queue.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT seq FROM sqlite_sequence WHERE name = ?",
                arguments: [table]
            )
        }
        guard let row, let id: Int64 = value("seq", of: row), (1...mostID).contains(id) else {
            return 0
        }
        return id
    }

    /// Also those that only a task of theirs tells of.
    private static func sessions(
        _ queue: DatabaseQueue,
        _ items: [Item],
        _ owners: inout [String: DownloadOwner]
    ) -> [SessionRegistration] {
        var found: [String: SessionRegistration] = [:]
        for item in items where item.taskIdentifier != nil {
            guard let name = item.session else { continue }
            found[name] = SessionRegistration(identifier: name)
        }
        // It ends where the damage begins.
        try? queue.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM session")
            while let row = try rows.next(), found.count < mostSessions {
                guard let name: String = value("identifier", of: row) else { continue }
                let command: String? = value("relaunchCommand", of: row)
                var session = SessionRegistration(
                    identifier: name,
                    relaunchCommand: StoreTransaction.value(command)
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
            end = item.id
            if found[item.id] == nil { found[item.id] = item }
        }
    }

    private static func item(_ row: Row) -> Item? {
        let state: String? = value("state", of: row)
        guard let id: Int64 = value("id", of: row), id > 0,
            let state = state.flatMap(TaskState.init),
            let destination: String = value("destination", of: row)
        else { return nil }
        let priority: Int? = value("priority", of: row)
        return Item(
            id: id,
            name: value("name", of: row) ?? "",
            url: value("url", of: row) ?? "",
            destination: destination,
            path: value("path", of: row),
            isPaused: state == .paused || state == .suspended,
            priority: priority.flatMap(DownloadPriority.init) ?? .normal,
            position: value("position", of: row) ?? id,
            session: value("session", of: row),
            owner: owner(of: row),
            taskIdentifier: value("taskIdentifier", of: row),
            taskDescription: value("taskDescription", of: row),
            notBefore: date("notBefore", of: row),
            createdAt: date("createdAt", of: row) ?? Date(),
            completedBytes: max(0, value("completedBytes", of: row) ?? 0),
            totalBytes: value("totalBytes", of: row)
        )
    }

    private static func owner(of row: Row) -> DownloadOwner? {
        let text: String? = value("owner", of: row)
        return text.flatMap { DownloadOwner($0) }
    }

    /// Nil where it is of another form, or not there.
    ///
    /// Inlined, it ends the optimizer of Swift 6.3 with an error.
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
        let row = try Row.fetchOne(
            database,
            sql: "SELECT body FROM request WHERE download = ?",
            arguments: [id]
        )
        guard let row, let body = Data.fromDatabaseValue(row[0]) else { return nil }
        let request = try WireJSON.decode(NewDownload.self, from: body)
        _ = try request.checked()
        return request
    }
}
