internal import FoundationEssentials
internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// What is set of a task that the daemon has: it is told of it, and tells what others have set.
extension BackgroundTask {
    /// What can be set, as the daemon knows it.
    struct Facts: Equatable, Sendable {
        var description: String?
        var priority: DownloadPriority
        var limit: Int64?
        var notBefore: Date?

        init(_ task: BackgroundTask) {
            description = Self.said(task.taskDescription)
            priority = task.priority
            limit = task.limitBytesPerSecond
            notBefore = task.earliestBeginDate
        }

        init(_ row: WireDownload) {
            description = row.taskDescription
            priority = row.priority.priority
            limit = row.limitBytesPerSecond
            // The time of another try is nobody's wish.
            notBefore = row.failures == nil ? row.notBefore : nil
        }

        /// What makes `old` this; a date is for one that does not run.
        func changes(from old: Facts, _ now: Date, isRunning: Bool) -> DownloadChanges {
            var changes = DownloadChanges()
            if description != old.description { changes.taskDescription = description ?? "" }
            if priority != old.priority { changes.priority = WirePriority(priority) }
            if limit != old.limit { changes.settings[\.limitBytesPerSecond] = .some(limit) }
            let (date, oldDate) = (Self.seconds(notBefore, now), Self.seconds(old.notBefore, now))
            if date != oldDate, !isRunning { changes.notBefore = notBefore ?? now }
            return changes
        }

        static func said(_ description: String?) -> String? {
            description.flatMap { $0.isEmpty ? nil : $0 }
        }

        /// As it is sent; one that has passed is none.
        private static func seconds(_ date: Date?, _ now: Date) -> Double? {
            date.flatMap { $0 > now ? $0.timeIntervalSince1970.rounded(.down) : nil }
        }
    }

    /// Whatever was set meanwhile goes with one request, when the daemon can be asked.
    func tellChanges() {
        // What was not added yet is added as it is then.
        guard remote.withLock({ $0.facts != nil && $0.outcome == nil }) else { return }
        link.later { [weak self] client in await self?.sendChanges(client) ?? true }
    }

    /// Returns whether the daemon knows now, or need not.
    func sendChanges(_ client: DaemonClient) async -> Bool {
        // In this order: what another has set is here before it is known (`takeChanges`).
        let (id, row, known) = remote.withLock { ($0.id, $0.row, $0.facts) }
        let wanted = Facts(self)
        guard let id, let known else { return true }
        let isRunning = row?.state.isUnderWay == true
        let changes = wanted.changes(from: known, Date(), isRunning: isRunning)
        guard !changes.isEmpty else { return true }
        do throws(DownloadError) {
            _ = try await client.change(link.selection(id), changes)
            remote.withLock { remote in
                var facts = wanted
                if changes.notBefore == nil { facts.notBefore = known.notBefore }
                remote.facts = facts
            }
            return true
        } catch {
            // What has ended or gone meanwhile needs none.
            return error.code == .usage || error.code == .notFound
        }
    }

    /// Somebody else has set something, or this process has, which says the same.
    func takeChanges(_ row: WireDownload) {
        let theirs = Facts(row)
        guard let known = remote.withLock({ $0.facts }) else { return }
        // What was set here and is on its way holds.
        shared.withLock { state in
            if Facts.said(state.description) == known.description {
                state.description = theirs.description
            }
            if state.priority == known.priority { state.priority = theirs.priority }
            if state.earliestBeginDate == known.notBefore {
                state.earliestBeginDate = theirs.notBefore
            }
        }
        limit.changeLimit(from: known.limit, to: theirs.limit, now: engine.time.now())
        remote.withLock { $0.facts = theirs }
    }

    /// The daemon has it as it is here.
    func knowsFacts(_ facts: Facts) {
        remote.withLock { $0.facts = facts }
        guard Facts(self) != facts else { return }
        tellChanges()
    }

    func setLimit(_ bytesPerSecond: Int64?) {
        limit.setLimit(bytesPerSecond: bytesPerSecond, now: engine.time.now())
    }
}

extension TaskState {
    fileprivate var isUnderWay: Bool { self == .running || self == .waitingForConnectivity }
}
