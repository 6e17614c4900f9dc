import FoundationEssentials
import PawlCore

/// A planner that runs against simulated servers in simulated time.
struct SimulatedDownload {
    /// The requested server, followed by its mirrors.
    private var servers: [SimulatedServer]
    private var planner: DownloadPlanner
    private var random: SplitMix64
    private var now = Moment.zero
    private var connections: [TransferID: Connection] = [:]
    private var waitingSlots: [String] = []
    private var kills: Int
    /// The ranges on disk, by version.
    private(set) var disk: [Int: RangeSet] = [:]
    private(set) var received: Int64 = 0
    private(set) var steps = 0
    private(set) var restarts = 0
    private(set) var mostConnections = 0
    /// The last moment at which as many connections as ever before had work.
    private var lastFull = Moment.zero
    /// The number of connections that the planner closed while they received bytes.
    private(set) var closedWhileReceiving = 0
    /// The moment at which a request was first answered after an outage.
    private(set) var answeredAgainAt: Moment?
    /// The number of requests sent.
    private(set) var opened = 0
    /// The number of requests that the servers answered with 429 or 503.
    private(set) var refusals = 0
    private let settings: DownloadSettings
    private(set) var result: Result<Int64, DownloadError>?
    private var reader: Reader?
    /// The link of all connections; `nil` if each has a speed of its own.
    private var link: SimulatedLink?
    /// The number of bytes that each connection receives over the link in this step.
    private var shares: [TransferID: Int64] = [:]
    /// The maximum number of bytes that were on disk and not read yet, of a download with a reader.
    private(set) var mostUnread: Int64 = 0
    /// The target that takes the bytes in parts; `nil` if it takes any byte at any time.
    private(set) var parts: SimulatedParts?
    private var pinnedOnDisk: Representation?
    private var sourceOnDisk: String?

    /// A program that reads the file from its first byte on while it is received.
    struct Reader {
        var window: Int64
        var bytesPerSecond: Int64
        fileprivate var offset: Int64 = 0

        init(window: Int64, bytesPerSecond: Int64) {
            (self.window, self.bytesPerSecond) = (window, bytesPerSecond)
        }
    }

    private struct Connection {
        let planned: PlannedTransfer
        /// Whether a connection whose response has ended is used again.
        let isReused: Bool
        /// The time to establish the connection; `nil` if it was open.
        let connectTime: Duration?
        var answer: SimulatedServer.Answer?
        var readyAt: Moment
        var isHeld = false
        var position: Int64 = 0
        var end: Int64
        /// The offset at which the connection's own bytes begin.
        var start: Int64
        var kept: Int64
        /// Whether the bytes around its own range must belong to its version.
        var isComparing: Bool
        /// Whether the bytes after its end exist and are compared before its last byte counts.
        var isEndProven: Bool
        var hasDiffered = false
        var isCancelled = false

        /// The end of the bytes that the connection requests.
        var lastByte: Int64 { isEndProven ? end + Seam.tailBytes : end }
        var hasPassedEnd: Bool { position >= lastByte }
    }

    private var step: Duration { link == nil ? .milliseconds(20) : SimulatedLink.step }
    static let mostSteps = 200_000

    init(
        seed: UInt64,
        server: SimulatedServer,
        mirrors: [SimulatedServer] = [],
        connections: ConnectionCount? = nil,
        mayBeKilled: Bool = true,
        reader: Reader? = nil,
        link: SimulatedLink? = nil,
        grid: SegmentGrid? = nil
    ) {
        (self.reader, self.link) = (reader, link)
        parts = grid.map(SimulatedParts.init)
        servers = [server] + mirrors
        random = SplitMix64(seed: seed ^ 0xA5A5)
        var settings = DownloadSettings()
        let drawn: ConnectionCount =
            Bool.random(using: &random) ? .automatic : .fixed(Int.random(in: 1...8, using: &random))
        settings.connections = connections ?? drawn
        settings.stallTimeout = .seconds(5)
        self.settings = settings
        let drawnKills = [0, 0, 1, 4].randomElement(using: &random) ?? 0
        kills = mayBeKilled ? drawnKills : 0
        planner = Self.planner(settings, seed, Array(servers.indices), reader)
    }

    private static func planner(
        _ settings: DownloadSettings,
        _ seed: UInt64,
        _ order: [Int],
        _ reader: Reader? = nil
    ) -> DownloadPlanner {
        let urls = order.map {
            URL(string: "http://\(hosts[$0])/file") ?? URL(filePath: "/")
        }
        return DownloadPlanner(
            url: urls[0],
            mirrors: Array(urls.dropFirst()),
            settings: settings,
            seed: seed,
            window: reader.map { ReaderWindow(length: $0.window) }
        )
    }

    private func index(of url: URL) -> Int {
        guard servers.count > 1, let host = url.host() else { return 0 }
        return Self.hosts.firstIndex(of: host) ?? 0
    }

    private static let hosts = (0..<8).map { "origin\($0).example" }

    /// The time from the first connection without work to the end.
    var tail: Duration { now - lastFull }

    /// The time elapsed so far.
    var elapsed: Duration { now - .zero }

    var have: RangeSet { disk.values.reduce(into: RangeSet()) { $0.formUnion($1) } }

    var summary: String {
        servers.map { "\($0.serves), \($0.validators), version \($0.version)" }
            .joined(separator: "; ") + "; \(disk)"
    }

    mutating func run() {
        handle(.started(nil))
        var lastTick = Moment.zero
        while result == nil, steps < Self.mostSteps {
            steps += 1
            now = now + step
            for index in servers.indices { servers[index].mayChange() }
            shares = link?.send() ?? [:]
            for id in connections.keys.sorted() where result == nil { advance(id) }
            grantSlots()
            read()
            if let wake = planner.wakeAt(lastTick), now >= wake, result == nil {
                lastTick = now
                let inOrder = connections.sorted { $0.key < $1.key }
                handle(.ticked(inOrder.map { TransferSample(id: $0.key, offset: $0.value.kept) }))
            }
            if connections.count >= mostConnections { lastFull = now }
            mostConnections = max(mostConnections, connections.count)
            if kills > 0, Int.random(in: 0..<100, using: &random) == 0 { kill() }
        }
    }

    private mutating func read() {
        guard var reader, result == nil else { return }
        mostUnread = max(mostUnread, have.ranges.last.map { $0.end - reader.offset } ?? 0)
        let most = reader.bytesPerSecond * step.nanoseconds / 1_000_000_000
        let offset = min(have.frontier, reader.offset + most)
        guard offset > reader.offset else { return }
        reader.offset = offset
        self.reader = reader
        handle(.readerReached(offset))
    }

    /// Kills the process; the next run starts with the bytes on disk.
    private mutating func kill() {
        kills -= 1
        restarts += 1
        // The checkpoint claims the bytes that the planner counted a moment ago.
        disk = disk.mapValues { $0.intersection(planner.arrived) }
        if let grid = parts?.grid {
            let total = pinnedOnDisk?.total
            disk = disk.mapValues { grid.wholeParts(of: $0, total: total) }
        }
        let kept = have
        parts?.begin(with: kept)
        connections = [:]
        waitingSlots = []
        // The next run may list its sources in another order.
        let planned = servers.indices.shuffled(using: &random)
        planner = Self.planner(settings, UInt64(restarts), planned)
        let point = pinnedOnDisk.map {
            StartingPoint(representation: $0, have: have, source: sourceOnDisk)
        }
        handle(.started(point, grid: point == nil ? nil : parts?.grid))
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
        case .withdrawSlotRequest(let host): waitingSlots.removeAll { $0 == host }
        case .open(let planned):
            opened += 1
            let index = index(of: planned.url)
            let isReused = servers[index].free > 0
            if isReused { servers[index].free -= 1 }
            let connectTime = link.map { isReused ? .zero : $0.connectTime }
            let delay = connectTime.map { $0 + (link?.roundTrip ?? .zero) }
            connections[planned.id] = Connection(
                planned: planned,
                isReused: isReused,
                connectTime: isReused ? nil : connectTime ?? step,
                readyAt: now + (delay ?? randomDelay()),
                end: planned.end,
                start: planned.start,
                kept: planned.start,
                isComparing: planned.comparesBytes,
                isEndProven: planned.isEndProven
            )
            noteAssigned(planned.id)
        case .setEnd(let id, let end, let isProven):
            let isLater = connections[id].map { $0.end < end } == true
            connections[id]?.end = end
            connections[id]?.isEndProven = isProven
            if isLater { noteAssigned(id) }
        case .close(let id):
            if let connection = connections[id], connection.kept > connection.planned.start,
                connection.kept < connection.end
            {
                closedWhileReceiving += 1
            }
            connections[id]?.isCancelled = true
        case .resumeTransfer(let id, let skipUntil, let comparing):
            connections[id]?.isHeld = false
            connections[id]?.start = skipUntil
            connections[id]?.kept = skipUntil
            connections[id]?.isComparing = comparing
        case .restrictLedger(let kept): restrict(to: kept)
        case .openStore(let id, let representation):
            empty(for: representation, id)
            handle(.storeOpened(id, nil, grid: parts?.grid))
        case .resetStore(let id, let representation):
            empty(for: representation, id)
            restarts += 1
            handle(.storeReset(id, grid: parts?.grid))
        case .updateRepresentation(let representation): pinnedOnDisk = representation
        case .complete(let total): result = .success(total)
        case .failDigest: result = .failure(DownloadError(.checksumMismatch, "wrong digest"))
        case .fail(let error): result = .failure(error)
        case .releaseSlot, .backOffHost, .log, .notice, .startingOver: break
        }
    }

    /// Notes which bytes a connection may write, besides those of the others.
    private mutating func noteAssigned(_ id: TransferID) {
        guard let connection = connections[id] else { return }
        let others = connections.filter { $0.key != id }.values.map { other in
            ByteRange(other.kept, min(other.end, other.answer?.body.end ?? .max))
        }
        let own = ByteRange(connection.kept, connection.end)
        parts?.assigned(own, beside: others, total: pinnedOnDisk?.total)
    }

    private mutating func randomDelay() -> Duration {
        .milliseconds(Int.random(in: 5...200, using: &random))
    }

    /// Removes from disk the bytes of ended connections that the planner does not count.
    private mutating func restrict(to kept: RangeSet) {
        var kept = kept
        for connection in connections.values {
            kept.insert(ByteRange(connection.start, connection.kept))
        }
        disk = disk.mapValues { $0.intersection(kept) }
    }

    private mutating func empty(for representation: Representation, _ id: TransferID?) {
        disk = [:]
        parts?.begin(with: RangeSet())
        pinnedOnDisk = representation
        sourceOnDisk = planner.sourceText(pinnedBy: id)
    }

    private mutating func advance(_ id: TransferID) {
        guard var connection = connections[id] else { return }
        if connection.isCancelled { return end(id, .cancelled) }
        if servers[index(of: connection.planned.url)].outage?.contains(now) == true {
            let kind: TransferFailure.Kind =
                connection.answer == nil ? .cannotConnect : .connectionLost
            return end(id, .failed(TransferFailure(kind, "outage")))
        }
        guard now >= connection.readyAt, !connection.isHeld else { return }
        guard let answer = connection.answer else { return judge(id, connection) }
        // The sink waits for a reader that is far behind.
        if let reader, connection.position - reader.offset >= reader.window { return }
        let own = max(1, answer.bytesPerSecond * step.nanoseconds / 1_000_000_000)
        let chunk = link == nil ? own : shares[id] ?? 0
        guard chunk > 0 else { return }
        let next = min(connection.position + chunk, answer.body.end)
        keep(ByteRange(connection.position, next), answer.version, &connection)
        connection.position = next
        connections[id] = connection
        if connection.hasDiffered {
            handle(.seamDiffered(id))
            if result == nil { end(id, .stopped) }
        } else if connection.hasPassedEnd, connection.lastByte < answer.body.end {
            end(id, .stopped)
        } else if next >= answer.body.end {
            servers[index(of: connection.planned.url)].free += 1
            end(id, .completed)
        } else if Int.random(in: 0..<1000, using: &random)
            < servers[index(of: connection.planned.url)].resetsPerMille
        {
            end(id, .failed(TransferFailure(.connectionLost, "reset")))
        }
    }

    private mutating func judge(_ id: TransferID, _ connection: Connection) {
        var connection = connection
        let planned = connection.planned
        let index = index(of: planned.url)
        guard connection.isReused || planned.id.number <= servers[index].answered else {
            connections[id]?.readyAt = .distantFuture
            return
        }
        let limitsAddress = servers[index].limitsAddress
        let open = connections.values.count {
            limitsAddress || self.index(of: $0.planned.url) == index
        }
        guard let answer = servers[index].answer(planned, open: open, at: now) else {
            return end(id, .failed(TransferFailure(.cannotConnect, "refused")))
        }
        if let outage = servers[index].outage, now >= outage.upperBound, answeredAgainAt == nil {
            answeredAgainAt = now
        }
        if answer.head.status == 503 || answer.head.status == 429 { refusals += 1 }
        connection.answer = answer
        connection.position = answer.body.start
        if answer.head.status < 300 { link?.begin(id, isReused: connection.isReused) }
        let verdict = HeadJudge.judge(answer.head, expecting: planned.expectation)
        var isRefused = false
        switch verdict {
        case .write: break
        case .pin, .whole: connection.isHeld = true
        default: isRefused = true
        }
        connections[id] = connection
        handle(.headJudged(id, verdict, connectTime: connection.connectTime))
        if isRefused, result == nil { end(id, .stopped) }
    }

    /// Writes bytes as the sink does: from the proven offset to the end, without skipped bytes.
    private mutating func keep(_ bytes: ByteRange, _ version: Int, _ connection: inout Connection) {
        received += bytes.count
        let before = bytes.intersection(ByteRange(0, connection.kept))
        if connection.isComparing, differs(before, version, &connection) { return }
        // The last byte counts once the bytes after it have been compared.
        let end = connection.isEndProven ? connection.end - 1 : connection.end
        let wanted = bytes.intersection(ByteRange(connection.kept, end))
        write(wanted, version)
        if !wanted.isEmpty { connection.kept = wanted.end }
        guard connection.isEndProven, bytes.end > connection.end else { return }
        let tail = ByteRange(connection.end, connection.lastByte).intersection(bytes)
        guard !differs(tail, version, &connection) else { return }
        let last = min(connection.lastByte, connection.answer?.body.end ?? 0)
        guard bytes.end >= last, last > connection.end else { return }
        write(ByteRange(connection.end - 1, connection.end), version)
        connection.kept = connection.end
    }

    private mutating func write(_ bytes: ByteRange, _ version: Int) {
        guard !bytes.isEmpty else { return }
        parts?.write(bytes)
        for other in disk.keys where other != version { disk[other]?.remove(bytes) }
        disk[version, default: RangeSet()].insert(bytes)
    }

    private func differs(
        _ bytes: ByteRange,
        _ version: Int,
        _ connection: inout Connection
    ) -> Bool {
        guard !bytes.isEmpty, disk[version]?.contains(bytes) != true else { return false }
        connection.hasDiffered = true
        return true
    }

    private mutating func end(_ id: TransferID, _ outcome: TransferOutcome) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        link?.end(id, left: connection.answer.map { $0.body.end - connection.position } ?? 0)
        handle(.transferEnded(id, offset: connection.kept, outcome))
    }
}
