internal import PawlCore

/// Records what this node does, for those who ask another one.
final class NodeReporter {
    private let environment: QueueEnvironment
    /// Whether several daemons may use the store; `nil` before the store was asked.
    private var isShared: Bool?
    private var next = Moment.zero

    private static let interval: Duration = .seconds(5)

    init(_ environment: QueueEnvironment) { self.environment = environment }

    /// Records the present speed if it is due.
    ///
    /// A node that does not run anything records nothing: its last report expires.
    func record() {
        let now = environment.moment
        guard now >= next, isShared != false else { return }
        next = now + Self.interval
        let running = environment.running
        let report = NodeReportTable.Report(
            bytesPerSecond: running.bytesPerSecond,
            connections: running.connections
        )
        // The next report replaces one that could not be recorded.
        isShared = try? environment.store.readBlocking { $0.isShared }
        guard isShared == true else { return }
        _ = try? environment.store.write(for: .repeatableEnd) { try $0.nodeReports.record(report) }
    }
}
