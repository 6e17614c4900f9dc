/// The connections that the host budget granted and no transfer uses at the moment.
struct SlotLedger: Sendable {
    private var spare: [String] = []
    private(set) var asked: String?

    mutating func granted(_ host: String) {
        if asked == host { asked = nil }
        spare.append(host)
    }

    /// Uses a spare slot of that host.
    mutating func take(_ host: String) -> Bool {
        guard let index = spare.firstIndex(of: host) else { return false }
        spare.remove(at: index)
        return true
    }

    /// Asks for one, once.
    mutating func request(_ host: String, _ actions: inout [DownloadAction]) {
        guard asked != host else { return }
        withdraw(&actions)
        asked = host
        actions.append(.requestSlot(host: host))
    }

    mutating func withdraw(_ actions: inout [DownloadAction]) {
        guard let host = asked else { return }
        asked = nil
        actions.append(.withdrawSlotRequest(host: host))
    }

    mutating func releaseAll(_ actions: inout [DownloadAction]) {
        withdraw(&actions)
        for host in spare { actions.append(.releaseSlot(host: host)) }
        spare = []
    }
}
