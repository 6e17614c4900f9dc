import FoundationEssentials
import PawlCore

/// A planner whose every wish is granted at once: slots, a store, an emptied store.
///
/// What its transfers bring a test tells it.
struct PlannerRun {
    private(set) var planner: DownloadPlanner
    private(set) var now = Moment.zero
    /// All transfers that were opened, in order.
    private(set) var opened: [TransferOrder] = []
    private(set) var closed: [TransferID] = []
    private(set) var log: [String] = []
    /// Hosts that asked for patience.
    private(set) var backedOff: [String] = []
    private(set) var error: DownloadError?
    /// Those that have not ended.
    private var running: [TransferID: TransferOrder] = [:]

    static let url = URL(string: "http://origin.example/disk.iso") ?? URL(filePath: "/")

    init(
        _ settings: DownloadSettings,
        mirrors: [URL] = [],
        have: RangeSet = RangeSet(),
        of pinned: Representation,
        from source: String? = nil
    ) {
        planner = DownloadPlanner(url: Self.url, mirrors: mirrors, settings: settings, seed: 1)
        let point = StartingPoint(representation: pinned, have: have, source: source)
        tell(.started(have.isEmpty ? nil : point))
    }

    mutating func tell(_ event: DownloadEvent) {
        var actions = planner.handle(event, at: now)[...]
        while let action = actions.popFirst() {
            switch action {
            case .requestSlot(let host):
                actions += planner.handle(.slotGranted(host: host), at: now)
            case .open(let order):
                opened.append(order)
                running[order.id] = order
            case .close(let id): closed.append(id)
            case .openStore(let id, _): actions += planner.handle(.storeOpened(id, nil), at: now)
            case .resetStore(let id, _): actions += planner.handle(.storeReset(id), at: now)
            case .backOffHost(let host, _): backedOff.append(host)
            case .log(let text): log.append(text)
            case .fail(let error): self.error = error
            default: break
            }
        }
    }

    /// The newest transfer.
    var newest: TransferOrder? { opened.last }

    /// Gives a transfer its head; one that is refused ends with it.
    mutating func answer(_ id: TransferID, _ head: ResponseHead) {
        guard let order = running[id] else { return }
        var head = head
        head.url = order.url
        let verdict = HeadJudge.judge(head, expecting: order.expectation)
        tell(.headJudged(id, verdict))
        switch verdict {
        case .write, .pin, .whole: break
        default: end(id, at: order.start, .stopped)
        }
    }

    mutating func end(_ id: TransferID, at offset: Int64, _ outcome: TransferOutcome) {
        guard running.removeValue(forKey: id) != nil else { return }
        tell(.transferEnded(id, offset: offset, outcome))
    }

    mutating func pass(_ time: Duration, _ samples: TransferSample...) { pass(time, samples) }

    mutating func pass(_ time: Duration, _ samples: [TransferSample]) {
        now = now + time
        tell(.ticked(samples))
    }

    /// Passes the time until the next try, where one is waited for.
    mutating func waitToRetry() {
        guard planner.isWaitingToRetry, let wake = planner.wakeAt(now) else { return }
        now = max(now, wake)
        tell(.ticked([]))
    }
}
