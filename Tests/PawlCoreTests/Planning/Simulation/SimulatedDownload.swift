import FoundationEssentials
import PawlCore

/// Runs a planner against a simulated server, with time that it makes itself.
struct SimulatedDownload {
    private var server: SimulatedServer
    private var planner: DownloadPlanner
    private var random: SplitMix64
    private var now = Moment.zero
    private var connections: [TransferID: Connection] = [:]
    private var waitingSlots: [String] = []
    private var kills: Int
    /// Which version's bytes are where.
    private(set) var disk: [Int: RangeSet] = [:]
    private(set) var received: Int64 = 0
    private(set) var steps = 0
    private(set) var restarts = 0
    private(set) var mostConnections = 0
    private let settings: DownloadSettings
    private(set) var result: Result<Int64, DownloadError>?
    private var pinnedOnDisk: Representation?

    private struct Connection {
        let order: TransferOrder
        var answer: SimulatedServer.Answer?
        var readyAt: Moment
        var isHeld = false
        var position: Int64 = 0
        var end: Int64
        var kept: Int64
        var isCancelled = false
    }

    private static let step: Duration = .milliseconds(20)
    static let mostSteps = 200_000

    init(seed: UInt64, server: SimulatedServer) {
        self.server = server
        random = SplitMix64(seed: seed ^ 0xA5A5)
        var settings = DownloadSettings()
        settings.connections =
            Bool.random(using: &random) ? .automatic : .fixed(Int.random(in: 1...8, using: &random))
        settings.stallTimeout = .seconds(5)
        self.settings = settings
        kills = [0, 0, 1, 4].randomElement(using: &random) ?? 0
        planner = Self.planner(settings, seed)
    }

    private static func planner(_ settings: DownloadSettings, _ seed: UInt64) -> DownloadPlanner {
        DownloadPlanner(
            url: URL(string: "http://origin.example/file") ?? URL(filePath: "/"),
            settings: settings,
            seed: seed
        )
    }

    var have: RangeSet { disk.values.reduce(into: RangeSet()) { $0.formUnion($1) } }

    var summary: String {
        "\(server.serves), \(server.validators), version \(server.version), \(disk)"
    }

    mutating func run() {
        handle(.started(nil))
        var lastTick = Moment.zero
        while result == nil, steps < Self.mostSteps {
            steps += 1
            now = now + Self.step
            server.mayChange()
            for id in connections.keys.sorted() where result == nil { advance(id) }
            grantSlots()
            if let wake = planner.wakeAt(lastTick), now >= wake, result == nil {
                lastTick = now
                handle(.ticked(connections.map { TransferSample(id: $0, offset: $1.kept) }))
            }
            mostConnections = max(mostConnections, connections.count)
            if kills > 0, Int.random(in: 0..<100, using: &random) == 0 { kill() }
        }
    }

    /// The process dies; what is written stays, the next run begins with it.
    private mutating func kill() {
        kills -= 1
        restarts += 1
        connections = [:]
        waitingSlots = []
        planner = Self.planner(settings, UInt64(restarts))
        handle(.started(pinnedOnDisk.map { StartingPoint(representation: $0, have: have) }))
    }

    private mutating func grantSlots() {
        let waiting = waitingSlots
        waitingSlots = []
        for host in waiting where result == nil { handle(.slotGranted(host: host)) }
    }

    private mutating func handle(_ event: DownloadEvent) {
        for action in planner.handle(event, at: now) where result == nil { perform(action) }
    }

    private mutating func perform(_ action: DownloadAction) {
        switch action {
        case .requestSlot(let host): waitingSlots.append(host)
        case .withdrawSlotRequest: waitingSlots = []
        case .open(let order):
            let delay = Duration.milliseconds(Int.random(in: 5...200, using: &random))
            connections[order.id] = Connection(
                order: order,
                readyAt: now + delay,
                end: order.end,
                kept: order.start
            )
        case .setEnd(let id, let end): connections[id]?.end = end
        case .close(let id): connections[id]?.isCancelled = true
        case .resumeTransfer(let id, let skipUntil):
            connections[id]?.isHeld = false
            connections[id]?.kept = skipUntil
        case .openStore(let id, let representation):
            disk = [:]
            pinnedOnDisk = representation
            handle(.storeOpened(id, nil))
        case .resetStore(let id, let representation):
            disk = [:]
            pinnedOnDisk = representation
            restarts += 1
            handle(.storeReset(id))
        case .updateRepresentation(let representation): pinnedOnDisk = representation
        case .complete(let total): result = .success(total)
        case .fail(let error): result = .failure(error)
        case .releaseSlot, .backOffHost, .log, .restrictLedger: break
        }
    }

    private mutating func advance(_ id: TransferID) {
        guard var connection = connections[id] else { return }
        if connection.isCancelled { return end(id, .cancelled) }
        guard now >= connection.readyAt, !connection.isHeld else { return }
        guard let answer = connection.answer else { return judge(id, connection) }
        let chunk = max(1, answer.bytesPerSecond * Self.step.nanoseconds / 1_000_000_000)
        let next = min(connection.position + chunk, answer.body.end)
        keep(ByteRange(connection.position, next), answer.version, &connection)
        connection.position = next
        connections[id] = connection
        if connection.kept >= connection.end, connection.end < connection.order.end {
            end(id, .stopped)
        } else if next >= answer.body.end {
            end(id, .completed)
        } else if Int.random(in: 0..<1000, using: &random) < server.resetsPerMille {
            end(id, .failed(TransferFailure(.connectionLost, "reset")))
        }
    }

    private mutating func judge(_ id: TransferID, _ connection: Connection) {
        var connection = connection
        let order = connection.order
        let answer = server.answer(order, open: connections.count)
        connection.answer = answer
        connection.position = answer.body.start
        let verdict = HeadJudge.judge(
            answer.head,
            expecting: HeadExpectation(asked: order.range, pinned: order.pinned)
        )
        var isRefused = false
        switch verdict {
        case .write: break
        case .pin, .whole: connection.isHeld = true
        default: isRefused = true
        }
        connections[id] = connection
        handle(.headJudged(id, verdict))
        if isRefused, result == nil { end(id, .stopped) }
    }

    /// Writes as the sink does: where the response proved, up to the end, not what is skipped.
    private mutating func keep(_ bytes: ByteRange, _ version: Int, _ connection: inout Connection) {
        received += bytes.count
        let wanted = bytes.intersection(ByteRange(connection.kept, connection.end))
        guard !wanted.isEmpty else { return }
        connection.kept = wanted.end
        for other in disk.keys where other != version { disk[other]?.remove(wanted) }
        disk[version, default: RangeSet()].insert(wanted)
    }

    private mutating func end(_ id: TransferID, _ outcome: TransferOutcome) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        handle(.transferEnded(id, offset: connection.kept, outcome))
    }
}
