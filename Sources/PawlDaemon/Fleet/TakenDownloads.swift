/// The downloads that this node has taken from a queue that it shares with others.
///
/// Without a fleet, it has all downloads.
final class TakenDownloads {
    /// Whether several nodes may share the queue.
    let isShared: Bool
    private var epochs: [Int64: Int64] = [:]
    /// The downloads of runs that have not ended yet although others have taken these downloads.
    private var forfeited: Set<Int64> = []

    init(isShared: Bool) { self.isShared = isShared }

    /// The downloads that the node knows it has.
    var downloads: [Int64] { Array(epochs.keys) }

    /// Whether the node has a download.
    func has(_ id: Int64) -> Bool { !isShared || epochs[id] != nil }

    func ownership(of id: Int64) -> Ownership? {
        epochs[id].map { Ownership(download: id, epoch: $0) }
    }

    func add(_ ownership: Ownership) { epochs[ownership.download] = ownership.epoch }

    func remove(_ id: Int64) { epochs[id] = nil }

    /// Returns those of some downloads that no longer belong to their runs; locks all of them until
    /// the end of the transaction.
    func stale(
        of downloads: some Sequence<Int64>,
        _ transaction: StoreTransaction
    ) throws -> Set<Int64> {
        guard isShared else { return [] }
        let stale = try transaction.ownership.check(downloads.compactMap(ownership))
        return stale.union(forfeited.intersection(downloads))
    }

    /// Forgets downloads that others have, whose runs have not ended.
    func forfeit(_ running: some Sequence<Int64>) {
        for id in running {
            epochs[id] = nil
            forfeited.insert(id)
        }
    }

    /// Forgets everything, because others have declared the node lost.
    ///
    /// - Parameter running: The downloads whose runs have not ended.
    func forfeitAll(running: some Sequence<Int64>) {
        epochs = [:]
        forfeited.formUnion(running)
    }

    /// Forgets the downloads of runs that have ended, and those that belong to others.
    ///
    /// Returns those that the node does not have any more: after a loss, it may have taken the
    /// download of a run again before the run has ended.
    func giveUp(_ ended: [Int64], stale: Set<Int64>) -> [Int64] {
        let late = forfeited.intersection(ended)
        forfeited.subtract(ended)
        let given = Set(ended).union(stale).subtracting(late).subtracting(forfeited)
        for id in given { epochs[id] = nil }
        return given.sorted()
    }
}
