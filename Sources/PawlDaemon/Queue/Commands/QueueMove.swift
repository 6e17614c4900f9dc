internal import PawlCore
internal import PawlWire

/// Moves a download before another one in the queue.
enum QueueMove {
    /// Gives a download the position of another; the downloads between the old and the new position
    /// move.
    ///
    /// Returns the download, followed by the others that have moved.
    static func move(
        _ row: WireDownload,
        before id: Int64,
        _ transaction: StoreTransaction
    ) throws -> [WireDownload] {
        guard row.id != id else { return [row] }
        guard let target = try transaction.downloads.find(id), !target.state.isEnd, !row.state.isEnd
        else {
            throw Conflict.error(
                "download \(row.id) cannot be moved before \(id): one of them is not in the queue",
                advice: "see 'pawl list'"
            )
        }
        guard target.priority == row.priority else {
            throw Conflict.error(
                "download \(row.id) cannot be moved before \(id): their priorities differ",
                advice: "give both the same priority first"
            )
        }
        let between = try transaction.downloads.queue(row.priority, from: row, to: target)
        let items = between.map { StartOrder.Item($0.id, at: $0.position) }
        let rows = Dictionary(uniqueKeysWithValues: between.map { ($0.id, $0) })
        var (own, others) = (row, [WireDownload]())
        for change in StartOrder.moving(row.id, before: id, in: items) {
            guard var moved = change.id == row.id ? row : rows[change.id] else { continue }
            moved.position = change.position
            try transaction.downloads.save(moved)
            if change.id == row.id { own = moved } else { others.append(moved) }
        }
        return [own] + others
    }
}
