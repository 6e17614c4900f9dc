import FoundationEssentials
import PawlCore

/// A planner whose requests for slots and for a new or emptied store are granted at once.
///
/// The test reports the bytes that the transfers receive.
struct PlannerRun {
    private(set) var planner: DownloadPlanner
    private(set) var now = Moment.zero
    /// All transfers opened so far, in order.
    private(set) var opened: [PlannedTransfer] = []
    private(set) var closed: [TransferID] = []
    private(set) var log: [String] = []
    /// The ranges that the latest `restrictLedger` keeps.
    private(set) var kept: RangeSet?
    /// The end that each transfer was given, and whether the bytes after that end are compared.
    private(set) var ends: [TransferID: (end: Int64, isProven: Bool)] = [:]
    /// The hosts that asked the client to back off.
    private(set) var backedOff: [String] = []
    private(set) var error: DownloadError?
    private(set) var slotsInUse = 0
    /// The transfers that have not ended.
    private var unended: [TransferID: PlannedTransfer] = [:]
    /// The parts in which the store takes bytes.
    private let grid: SegmentGrid?
    /// Whether all bytes are present.
    private(set) var isComplete = false
    var running: [PlannedTransfer] { unended.values.sorted { $0.id < $1.id } }

    static let url = URL(string: "http://origin.example/disk.iso") ?? URL(filePath: "/")

    init(
        _ settings: DownloadSettings,
        mirrors: [URL] = [],
        have: RangeSet = RangeSet(),
        of pinned: Representation,
        from source: String? = nil,
        url: URL = Self.url,
        seed: UInt64 = 1,
        grid: SegmentGrid? = nil
    ) {
        self.grid = grid
        planner = DownloadPlanner(url: url, mirrors: mirrors, settings: settings, seed: seed)
        let point = StartingPoint(representation: pinned, have: have, source: source)
        report(.started(have.isEmpty ? nil : point, grid: have.isEmpty ? nil : grid))
    }

    mutating func report(_ event: DownloadEvent) {
        var actions = planner.handle(event, at: now)[...]
        while let action = actions.popFirst() {
            switch action {
            case .releaseSlot: slotsInUse -= 1
            case .requestSlot(let host):
                slotsInUse += 1
                actions += planner.handle(.slotGranted(host: host), at: now)
            case .open(let planned):
                opened.append(planned)
                unended[planned.id] = planned
            case .close(let id): closed.append(id)
            case .setEnd(let id, let end, let isProven): ends[id] = (end, isProven)
            case .openStore(let id, _):
                actions += planner.handle(.storeOpened(id, nil, grid: grid), at: now)
            case .resetStore(let id, _):
                actions += planner.handle(.storeReset(id, grid: grid), at: now)
            case .complete: isComplete = true
            case .backOffHost(let host, _): backedOff.append(host)
            case .log(let text), .notice(let text): log.append(text)
            case .restrictLedger(let ranges): kept = ranges
            case .fail(let error): self.error = error
            default: break
            }
        }
    }

    /// The newest transfer.
    var newest: PlannedTransfer? { opened.last }

    /// Gives a transfer its response head, and ends the transfer if the head is refused.
    mutating func answer(_ id: TransferID, _ head: ResponseHead) {
        guard let planned = unended[id] else { return }
        var head = head
        head.url = planned.url
        let verdict = HeadJudge.judge(head, expecting: planned.expectation)
        report(.headJudged(id, verdict, connectTime: head.connectTime))
        switch verdict {
        case .write, .pin, .whole: break
        default: end(id, at: planned.start, .stopped)
        }
    }

    mutating func end(_ id: TransferID, at offset: Int64, _ outcome: TransferOutcome) {
        guard unended.removeValue(forKey: id) != nil else { return }
        report(.transferEnded(id, offset: offset, outcome))
    }

    mutating func pass(_ time: Duration, _ samples: TransferSample...) { pass(time, samples) }

    mutating func pass(
        _ time: Duration,
        _ samples: [TransferSample],
        isSuspended: Bool = false
    ) {
        now = now + time
        report(.ticked(samples, isSuspended: isSuspended))
    }

    /// Passes the time until the next retry, if the planner waits for one.
    mutating func waitToRetry() {
        guard planner.isWaitingToRetry, let wake = planner.wakeAt(now) else { return }
        now = max(now, wake)
        report(.ticked([]))
    }

    /// Passes the time until the planner tries the network again.
    mutating func waitForNetwork(atMost limit: Duration) {
        guard planner.isWaitingForConnectivity, let wake = planner.wakeAt(now),
            wake - now <= limit
        else { return }
        now = max(now, wake)
        report(.ticked([]))
    }

    /// Answers a transfer with the range that it requests, as a correct server does.
    mutating func answerAsAsked(
        _ planned: PlannedTransfer,
        total: Int64,
        connectTime: Duration? = nil
    ) {
        var head = ResponseHead(200, ["Content-Length": "\(total)", "ETag": "\"a\""])
        if let range = planned.range {
            let contentRange = "bytes \(range.start)-\(range.end - 1)/\(total)"
            head = ResponseHead(206, ["Content-Range": contentRange, "ETag": "\"a\""])
        }
        head.connectTime = connectTime
        answer(planned.id, head)
    }
}
