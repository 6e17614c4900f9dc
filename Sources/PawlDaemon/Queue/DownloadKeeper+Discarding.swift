internal import PawlCore
internal import PawlWire

/// What is thrown away, and what waits for that.
extension DownloadKeeper {
    /// Puts a download in line, once nothing of it is being thrown away.
    func wait(_ entry: QueuePlanner.Entry) {
        if discarding.contains(entry.id) {
            heldBack[entry.id] = entry
        } else {
            planner.wait(entry)
        }
    }

    func leave(_ id: Int64) {
        heldBack[id] = nil
        planner.leave(id)
    }

    func hold(_ discards: [Discard]) { discarding.formUnion(discards.map(\.id)) }

    /// Throws all of it away, at the same time; returns what is still there, in their order.
    func carryOut(_ discards: [Discard]) async -> [WireNotRemoved] {
        hold(discards)
        let (session, logger) = (session, logger)
        let errors = await withTaskGroup(of: (Int, DownloadError?).self) { group in
            for (index, discard) in discards.enumerated() {
                group.addTask { (index, await discard.carryOut(in: session, logger)) }
            }
            var errors: [Int: DownloadError] = [:]
            for await (index, error) in group {
                release(discards[index].id)
                errors[index] = error
            }
            return errors
        }
        return discards.indices.compactMap { index in
            let discard = discards[index]
            return errors[index].map { error in
                WireNotRemoved(
                    download: discard.id,
                    path: discard.path,
                    problem: Problem(error)
                )
            }
        }
    }

    private func release(_ id: Int64) {
        discarding.remove(id)
        guard let entry = heldBack.removeValue(forKey: id) else { return }
        planner.wait(entry)
        bell.ring()
    }
}
