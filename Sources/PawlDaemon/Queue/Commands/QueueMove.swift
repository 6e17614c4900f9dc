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
                advice: "see pawl list"
            )
        }
        guard target.priority == row.priority else {
            throw Conflict.error(
                "download \(row.id) cannot be moved before \(id): their priorities differ",
                advice: "give both the same priority first"
            )
        }
        var between = try transaction.downloads.queue(row.priority, from: row, to: target)
        let positions = between.map(\.position)
        between.removeAll { $0.id == row.id }
        let index = between.firstIndex { $0.id == id } ?? between.endIndex
        between.insert(row, at: index)
        var moved: [WireDownload] = []
        for (var other, position) in zip(between, positions) where other.position != position {
            other.position = position
            try transaction.downloads.save(other)
            moved.append(other)
        }
        guard let own = moved.first(where: { $0.id == row.id }) else { return [row] + moved }
        return [own] + moved.filter { $0.id != row.id }
    }
}
