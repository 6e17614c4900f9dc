internal import FoundationEssentials
internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// The settings of a task that the daemon has: changes are sent to the daemon, and the daemon
/// reports changes made by others.
extension BackgroundTask {
    /// The values that can be set, as the daemon knows them.
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
            // The time of a retry was not set by anybody.
            notBefore = row.failures == nil ? row.notBefore : nil
        }

        /// Returns the changes that turn `old` into this.
        ///
        /// A date is only for a download that does not run.
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

        /// Returns a date as it is sent.
        ///
        /// A date in the past counts as none.
        private static func seconds(_ date: Date?, _ now: Date) -> Double? {
            date.flatMap { $0 > now ? $0.timeIntervalSince1970.rounded(.down) : nil }
        }
    }

    /// Sends everything that was set meanwhile in one request, when the daemon can be asked.
    func tellChanges() {
        // A download that was not added yet is added with the new values.
        guard remote.withLock({ $0.facts != nil && $0.outcome == nil }) else { return }
        link.later { [weak self] client in await self?.sendChanges(client) ?? true }
    }

    /// Sends the changes.
    ///
    /// Returns whether the daemon knows them now, or need not know them.
    func sendChanges(_ client: DaemonClient) async -> Bool {
        // The order matters: a value set by another process is stored here before it counts as
        // known (`takeChanges`).
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
            // A download that has ended or gone meanwhile needs no changes.
            return error.code == .usage || error.code == .notFound
        }
    }

    /// Applies changes that another process made, or this process, which makes no difference.
    func takeChanges(_ row: WireDownload) {
        let theirs = Facts(row)
        guard let known = remote.withLock({ $0.facts }) else { return }
        // A value that was set here and is being sent takes precedence.
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

    /// Records that the daemon has the values that are set here.
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
