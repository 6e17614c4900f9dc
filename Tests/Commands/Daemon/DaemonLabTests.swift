import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

/// 100 kills of the daemon during 50 downloads.
///
/// Three readers follow its events, while downloads are added, paused and resumed all the time. The
/// test takes minutes, so it runs only on request: `PAWL_LAB=1 swift test --filter DaemonLabTests`.
@Suite(.timeLimit(.minutes(30)), .enabled(if: getenv("PAWL_LAB") != nil))
struct DaemonLabTests {
    private static let count = 50
    private static let kills = 100
    private static let readers = 3

    @Test func `100 kills lose no command and no event, and leave all files exact`() async throws {
        var random = TestSeed.generator("daemon lab")
        let scene = try DaemonScene(Workshop())
        let resources = (0..<Self.count).map { number in
            Resource(
                size: Int64.random(in: 1_000...24_000_000, using: &random),
                seed: UInt64(number)
            )
        }
        for (number, resource) in resources.enumerated() {
            scene.workshop.serve(.resource(resource).rate(4 << 20), at: "/\(number).bin")
        }
        var commander = try await Commander(scene: scene, count: Self.count, seed: random.next())
        var heard = [[WireEvent]](repeating: [], count: Self.readers)
        for round in 0..<Self.kills {
            let daemon = try await scene.startDaemon("--jobs", "8")
            try await commander.expectKept()
            let readers = try heard.map { events in
                try scene.start("events", "--json", "--after", "\(events.last?.id ?? 0)")
            }
            // Some die in the first moments, some while a command is under way, some between.
            let commands = Int.random(in: 0...6, using: &random)
            let bytes = Int64.random(in: 0...6_000_000, using: &random)
            commander = try await commander.work(commands, killing: daemon, afterBytes: bytes)
            await daemon.waitForExit()
            for (index, reader) in readers.enumerated() {
                await reader.waitForExit()
                heard[index] += try Self.events(reader.output)
            }
            print("lab: kill \(round + 1), added \(commander.ids.count)")
        }
        let last = try await scene.startDaemon("--jobs", "8")
        try await commander.expectKept()
        try await commander.addTheRest()
        try await scene.succeed("resume", "--all")
        try await scene.succeed("wait", "--all")
        for (number, resource) in resources.enumerated() {
            try expectExact("\(number).bin", resource, in: scene.workshop)
        }
        #expect(scene.workshop.folder.list().count == Self.count)
        let all = try await scene.events()
        expectSound(all)
        commander.expectTold(in: all)
        for events in heard {
            #expect(events == Array(all.prefix(events.count)), "what was heard has gaps or doubles")
        }
        print("lab: \(all.count) events, heard \(heard.map(\.count)), \(commander.summary)")
        withExtendedLifetime(last) {}
    }

    private static func events(_ text: String) throws -> [WireEvent] {
        // An incomplete line was being written when the reader ended.
        let whole = text.lastIndex(of: "\n").map { text[...$0] } ?? ""
        return try whole.split(separator: "\n").map {
            try WireJSON.decode(WireEvent.self, from: $0.utf8)
        }
    }
}

/// Adds, pauses and resumes downloads, and remembers what the daemon has acknowledged.
private struct Commander {
    let scene: DaemonScene
    let count: Int
    private let program: String
    private var random: SplitMix64
    /// The added downloads by the number in their URL.
    private(set) var ids: [Int: Int64] = [:]
    /// The state of each download after its last acknowledged command, without those whose last
    /// command was not acknowledged.
    private var paused: [Int64: Bool] = [:]
    private var acknowledged: [String: Int] = [:]
    private var pauses: [Int64: Int] = [:]
    /// Downloads that were possibly added before the kill; the next daemon shows it.
    private var unknown: Set<Int> = []

    /// Runs commands with a copy of the program that has no `pawld` beside it, so that it does not
    /// start a daemon.
    init(scene: DaemonScene, count: Int, seed: UInt64) async throws {
        (self.scene, self.count) = (scene, count)
        random = SplitMix64(seed: seed)
        program = scene.home.path("pawl")
        _ = try await ProcessRunner.run("cp", [Workshop.program, program])
    }

    private func run(_ arguments: [String]) async throws -> FinishedProcess {
        var settings = scene.workshop.complete(scene.settings)
        settings.environment["PATH"] = "/nowhere"
        return try await ProcessRunner.run(program, arguments, settings)
    }

    var summary: String { "acknowledged \(acknowledged.sorted { $0.key < $1.key })" }

    /// Runs commands one after the other; the daemon is killed when this many more bytes were sent
    /// or all commands were run.
    func work(_ commands: Int, killing daemon: ProcessRunner, afterBytes bytes: Int64) async throws
        -> Commander
    {
        let target = scene.workshop.origin.snapshot.bodyBytesSent + bytes
        let start = self
        return try await withThrowingTaskGroup(of: Commander?.self) { group in
            group.addTask {
                await scene.workshop.origin.waitForBytes(target)
                daemon.signal(SIGKILL)
                return nil
            }
            group.addTask {
                var next = start
                for _ in 0..<commands where daemon.status == nil { try await next.command() }
                daemon.signal(SIGKILL)
                return next
            }
            var result = start
            while let ended = try await group.next() {
                guard let ended else { continue }
                result = ended
                group.cancelAll()
            }
            return result
        }
    }

    private mutating func command() async throws {
        let open = ids.values.sorted()
        switch Int.random(in: 0..<4, using: &random) {
        case 0,
            1 where ids.count < count:
            try await add()
        case 2:
            if let id = open.randomElement(using: &random) { try await set(id, paused: true) }
        default:
            if let id = open.randomElement(using: &random) { try await set(id, paused: false) }
        }
    }

    private mutating func add() async throws {
        let free = (0..<count).filter { ids[$0] == nil }.prefix(
            Int.random(in: 1...3, using: &random)
        )
        guard !free.isEmpty else { return }
        let run = try await run(["add", "--json", "--if-exists", "fail"] + free.map(url))
        if run.status == .code(0) {
            let outcome = try WireJSON.decode(WireOutcome.self, from: run.output.utf8)
            for (number, download) in zip(free, outcome.downloads) {
                #expect(download.name == "\(number).bin")
                ids[number] = download.id
            }
            acknowledged["add", default: 0] += 1
        } else {
            unknown.formUnion(free)
        }
    }

    private mutating func set(_ id: Int64, paused isPaused: Bool) async throws {
        let verb = isPaused ? "pause" : "resume"
        let run = try await run([verb, "\(id)", "--json"])
        switch run.status {
        case .code(0):
            let outcome = try WireJSON.decode(WireOutcome.self, from: run.output.utf8)
            let state = outcome.downloads.first?.state
            paused[id] = state == .paused
            #expect(
                !isPaused || state == .paused || state?.isEnd == true,
                "\(String(describing: state))"
            )
            acknowledged[verb, default: 0] += 1
            if state == .paused { pauses[id, default: 0] = 1 }
        case .code(ErrorCode.conflict.exitStatus):
            // It has ended or has the expected state.
            break
        default: paused[id] = nil
        }
    }

    /// Acknowledged commands have an effect after the next start.
    mutating func expectKept() async throws {
        let downloads = try await scene.downloads()
        let states = Dictionary(uniqueKeysWithValues: downloads.map { ($0.id, $0.state) })
        let names = Dictionary(grouping: downloads, by: \.name)
        #expect(names.values.allSatisfy { $0.count == 1 }, "something was added twice")
        for number in unknown {
            if let id = names["\(number).bin"]?.first?.id { ids[number] = id }
        }
        unknown = []
        for id in ids.values {
            let state = states[id]
            #expect(state != nil, "download \(id) is lost")
            #expect(state != .failed && state != .cancelled, "\(id)")
            if paused[id] == true {
                #expect(state == .paused, "\(id) is \(String(describing: state))")
            }
            if paused[id] == false { #expect(state != .paused, "\(id) is paused") }
        }
    }

    mutating func addTheRest() async throws {
        let rest = (0..<count).filter { ids[$0] == nil }
        guard !rest.isEmpty else { return }
        let run = try await run(["add", "--json"] + rest.map(url))
        #expect(run.status == .code(0), "\(run.errors)")
        let outcome = try WireJSON.decode(WireOutcome.self, from: run.output.utf8)
        for (number, download) in zip(rest, outcome.downloads) { ids[number] = download.id }
    }

    /// Each command that was acknowledged has its event.
    func expectTold(in events: [WireEvent]) {
        let own = Dictionary(grouping: events, by: \.download)
        #expect(Set(own.keys) == Set(ids.values))
        for (id, events) in own {
            #expect(events.count { $0.kind == .added } == 1, "\(id)")
            #expect(events.count { $0.kind == .finished } == 1, "\(id)")
        }
        for (id, count) in pauses {
            #expect(own[id, default: []].count { $0.kind == .paused } >= count, "\(id)")
        }
    }

    private func url(_ number: Int) -> String { scene.workshop.origin.url("/\(number).bin") }
}
