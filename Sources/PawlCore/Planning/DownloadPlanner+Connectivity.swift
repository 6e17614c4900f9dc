internal import struct FoundationEssentials.URL

/// What the network's coming and going means for the download.
extension DownloadPlanner {
    /// Whether the download waits for a network that it may use, or tries whether it is there
    /// again.
    package var isWaitingForConnectivity: Bool {
        guard gate.isWatching, case .running = phase else { return false }
        guard parts.segments.isEmpty else {
            return gate.isTrying && !parts.segments.values.contains(where: \.isHeadAccepted)
        }
        return gate.isTrying
            || (gate.isClosed(to: hosts) && gate.obstacle(to: hosts) != .unknown)
    }

    /// Whether no connection is to be opened now.
    var isHeldByNetwork: Bool { gate.isWatching && gate.isClosed(to: hosts) }

    /// Those that the download may ask next.
    private var hosts: [String] { sources.filter(\.isUsable).map { $0.address.host() ?? "" } }

    mutating func networkChanged(
        _ path: NetworkPath,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        let before = gate.reason
        gate.take(path, hosts: hosts, at: now)
        note(before, &actions)
        watchNetwork(now, &actions)
    }

    /// Lets the download go on when it is time, and ends connections that have lost their network.
    mutating func watchNetwork(_ now: Moment, _ actions: inout [DownloadAction]) {
        guard gate.isWatching, case .running = phase else { return }
        let before = gate.reason
        gate.passTime(at: now)
        for segment in parts.segments.values.sorted(by: { $0.id < $1.id })
        where !segment.isClosing {
            let host = segment.url.host() ?? ""
            let last = segment.lastProgressAt
            guard gate.ends(host, lastProgressAt: last, hosts: hosts, at: now) else { continue }
            close(segment.id, &actions)
        }
        note(before, &actions)
    }

    /// Whether a transfer broke for want of a network, which is no failure of its source.
    mutating func isNetworks(
        _ failure: TransferFailure,
        of segment: Segment,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) -> Bool {
        guard gate.isWatching else { return false }
        let before = gate.reason
        let isExcused = gate.excuses(
            failure.kind,
            lastProgressAt: segment.lastProgressAt,
            hosts: hosts,
            at: now
        )
        note(before, &actions)
        return isExcused
    }

    private func note(_ before: ConnectivityGate.Obstacle?, _ actions: inout [DownloadAction]) {
        guard gate.reason != before else { return }
        switch gate.reason {
        case .noRoute: actions.append(.log("no route to the network: waiting for one"))
        case .metered: actions.append(.log("the network is metered: waiting for another"))
        case .unknown: break
        case nil: actions.append(.log("trying the network again"))
        }
    }
}
