internal import PawlCore
internal import PawlWire

/// Places in the queue.
extension DownloadKeeper {
    /// Puts a download in front of another; those between its old place and the new one move up.
    ///
    /// Returns it, and behind it those that have made room.
    static func move(
        _ row: WireDownload,
        before id: Int64,
        _ transaction: StoreTransaction
    ) throws -> [WireDownload] {
        guard row.id != id else { return [row] }
        guard let target = try transaction.download(id), !target.state.isEnd, !row.state.isEnd
        else {
            throw Conflict.error(
                "download \(row.id) cannot be put in front of \(id): one of them is not in the queue",
                advice: "see pawl list"
            )
        }
        guard target.priority == row.priority else {
            throw Conflict.error(
                "download \(row.id) cannot be put in front of \(id): its priority is another one",
                advice: "change the priority, too"
            )
        }
        var between = try transaction.queue(row.priority, from: row, to: target)
        let places = between.map(\.position)
        between.removeAll { $0.id == row.id }
        let index = between.firstIndex { $0.id == id } ?? between.endIndex
        between.insert(row, at: index)
        var moved: [WireDownload] = []
        for (var other, place) in zip(between, places) where other.position != place {
            other.position = place
            try transaction.save(other)
            moved.append(other)
        }
        guard let own = moved.first(where: { $0.id == row.id }) else { return [row] + moved }
        return [own] + moved.filter { $0.id != row.id }
    }
}
