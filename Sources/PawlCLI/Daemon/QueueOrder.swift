package import PawlWire
internal import PawlCore

extension [WireDownload] {
    /// The downloads in the order of the queue, which is also that of the daemon's page.
    ///
    /// Running downloads come first, then those that have not ended, by priority and position, then
    /// ended ones, newest first.
    package var inQueueOrder: [WireDownload] {
        sorted { left, right in
            let (group, other) = (left.group, right.group)
            guard group == other else { return group < other }
            if group == .ended { return left.id > right.id }
            let (priority, otherPriority) = (left.priority.priority, right.priority.priority)
            guard priority == otherPriority else { return priority > otherPriority }
            return (left.position, left.id) < (right.position, right.id)
        }
    }
}

private enum QueueGroup: Int, Comparable {
    case running, queued, ended

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension WireDownload {
    fileprivate var group: QueueGroup {
        if state.isEnd { return .ended }
        return state == .running || state == .waitingForConnectivity ? .running : .queued
    }
}
