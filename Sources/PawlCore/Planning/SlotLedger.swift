/// The connections that the host budget has granted and no transfer uses.
struct SlotLedger: Sendable {
    private var spare: [String] = []
    private var asked: Set<String> = []

    /// Whether a request waits for a grant.
    var isWaiting: Bool { !asked.isEmpty }

    func isWaiting(for host: String) -> Bool { asked.contains(host) && !spare.contains(host) }

    mutating func granted(_ host: String) {
        asked.remove(host)
        spare.append(host)
    }

    /// Uses a spare slot of a host; returns whether there was one.
    mutating func take(_ host: String) -> Bool {
        guard let index = spare.firstIndex(of: host) else { return false }
        spare.remove(at: index)
        return true
    }

    /// Requests a slot of a host unless one is requested already.
    mutating func request(_ host: String, _ actions: inout [DownloadAction]) {
        guard asked.insert(host).inserted else { return }
        actions.append(.requestSlot(host: host))
    }

    /// Withdraws the requests for slots of all other hosts.
    mutating func withdraw(except hosts: Set<String> = [], _ actions: inout [DownloadAction]) {
        for host in asked.subtracting(hosts).sorted() {
            asked.remove(host)
            actions.append(.withdrawSlotRequest(host: host))
        }
    }

    mutating func releaseAll(_ actions: inout [DownloadAction]) {
        withdraw(&actions)
        releaseSpare(&actions)
    }

    mutating func releaseSpare(_ actions: inout [DownloadAction]) {
        for host in spare { actions.append(.releaseSlot(host: host)) }
        spare = []
    }
}
