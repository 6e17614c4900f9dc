internal import PawlCore
package import PawlWire

/// The downloads in the order in which they start, or in which they have ended.
package struct DownloadOrder {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Downloads that are listed in an order of their own.
    package enum Part: Sendable {
        /// Those that wait or are paused, in the order in which they start.
        case waiting
        /// Those that have ended, the oldest end first.
        case ended

        fileprivate var condition: String {
            switch self {
            case .waiting: "endedAt IS NULL AND state <> 'running'"
            case .ended: "endedAt IS NOT NULL"
            }
        }

        fileprivate func order(_ isReversed: Bool) -> String {
            switch (self, isReversed) {
            case (.waiting, false): "priority DESC, position, id"
            case (.waiting, true): "priority, position DESC, id DESC"
            case (.ended, false): "endedAt, id"
            case (.ended, true): "endedAt DESC, id DESC"
            }
        }
    }

    /// Responses and metrics are left out: reading them takes longer than all the rest.
    private static let columns = """
        id, state, name, url, destination, path, completedBytes, totalBytes, priority, position,
        session, notBefore, failures, problem, createdAt, endedAt, taskIdentifier,
        taskDescription, mirrors, owner, limitBytesPerSecond, NULL AS response, NULL AS metrics
        """

    /// Returns downloads in their order, without responses and metrics.
    ///
    /// `offset`: the number of downloads that are left out; if negative, the list begins with the
    /// last download (-1) or one before it, and goes backwards.
    package func downloads(_ part: Part, offset: Int, count: Int) throws -> [WireDownload] {
        let isReversed = offset < 0
        return try database.rows(
            """
            SELECT \(Self.columns) FROM download WHERE \(part.condition)
            ORDER BY \(part.order(isReversed)) LIMIT ? OFFSET ?
            """,
            [max(0, count), isReversed ? -1 - offset : offset],
            as: DownloadRows.download
        )
    }

    /// Returns the downloads that run, by id, without responses and metrics.
    package func running() throws -> [WireDownload] {
        try database.rows(
            "SELECT \(Self.columns) FROM download WHERE state = 'running' ORDER BY id",
            as: DownloadRows.download
        )
    }

    /// Returns the positions in `waiting` of the downloads with a priority.
    package func positions(of priority: WirePriority) throws -> Range<Int> {
        let number = priority.priority.rawValue
        let higher: Int? = try database.value(
            "SELECT COUNT(*) FROM download WHERE \(Part.waiting.condition) AND priority > ?",
            [number]
        )
        let equal: Int? = try database.value(
            "SELECT COUNT(*) FROM download WHERE \(Part.waiting.condition) AND priority = ?",
            [number]
        )
        let first = higher ?? 0
        return first..<(first + (equal ?? 0))
    }

    /// Returns the ids of the downloads that wait or are paused, in the order in which they start.
    package func waiting() throws -> [Int64] {
        try database.values(
            """
            SELECT id FROM download WHERE \(Part.waiting.condition)
            ORDER BY \(Part.waiting.order(false))
            """
        )
    }
}
