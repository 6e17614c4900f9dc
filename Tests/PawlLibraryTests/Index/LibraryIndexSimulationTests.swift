import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Random events, with invariants that hold after each.
@Suite(.timeLimit(.minutes(5)))
struct LibraryIndexSimulationTests {
    @Test func `each key has one run, each waiter one conclusion, and no name is shared`() async {
        var breath = Breath()
        for seed in TestSeed.seeds("library index", count: 300) {
            await breath.take()
            var simulation = LibrarySimulation(seed: seed)
            for _ in 0..<400 { simulation.step() }
            simulation.finish()
            #expect(simulation.faults.isEmpty, "seed \(seed): \(simulation.faults)")
            if !simulation.faults.isEmpty { return }
        }
    }
}

/// A driver without disk and network.
struct LibrarySimulation {
    private static let keys: [StorageKey] = ["a", "b", "c", "d"]
    private static let names: [ExactText] = ["a", "b", "c", "d", "x", "y"]

    private var random: SplitMix64
    private var scene = IndexScene()
    /// Runs that have started and not ended, by their keys.
    private var runs: [StorageKey: LibraryIndex.RunID] = [:]
    private var renewals: [(StorageKey, LibraryIndex.RunID)] = []
    private var waiters: [StorageKey: Int] = [:]
    private(set) var faults: [String] = []

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func pick<T>(_ all: [T]) -> T { all[Int(random.next() % UInt64(all.count))] }

    mutating func step() {
        let key = pick(Self.keys)
        switch random.next() % 12 {
        case 0...2: ask(key)
        case 3: apply(.pauseAsked(key))
        case 4: apply(.cancelAsked(key))
        case 5: apply(.urlReplaced(key, scene.url(pick(Self.keys))))
        case 6 where (waiters[key] ?? 0) > 0:
            waiters[key, default: 1] -= 1
            apply(.waitCancelled(key))
        case 7...9: endRun()
        case 10: changeFolder()
        default:
            guard let (key, run) = renewals.popLast() else { return }
            apply(.urlGiven(key, run, random.next() % 2 == 0 ? scene.url(key) : nil))
        }
    }

    /// Closes the index and lets all runs end.
    mutating func finish() {
        apply(.closed)
        while !runs.isEmpty { endRun() }
        let left = waiters.filter { $0.value > 0 }
        if !left.isEmpty { faults.append("unanswered waiters: \(left)") }
    }

    private mutating func ask(_ key: StorageKey) {
        let waits = random.next() % 3 != 0
        let actions = scene.ask(
            key,
            hasURL: random.next() % 4 != 0,
            name: pick(Self.names),
            policy: pick(FinishedFilePolicy.allCases),
            waits: waits,
            renews: random.next() % 2 == 0
        )
        let isAnswered = !actions.given.isEmpty || !actions.refused.isEmpty
        if waits, !isAnswered { waiters[key, default: 0] += 1 }
        perform(actions)
    }

    private mutating func endRun() {
        guard let (key, run) = runs.sorted(by: { $0.value < $1.value }).first else { return }
        let pending = scene.index.entries[key]?.download?.pending
        runs[key] = nil
        let end: LibraryIndex.RunOutcome
        switch random.next() % 4 {
        case 0:
            end = .finished(scene.file(key, name: pending?.name), wasFetched: true)
        case 1: end = .stopped
        case 2:
            let error = DownloadError(status: pick([403, 404, 500]), reason: "", host: "h")
            end = .failed(error, reached: Int64(random.next() % 5))
        default: end = .failed(DownloadError(.network, "broke"), reached: 0)
        }
        apply(.runEnded(key, run, end))
    }

    private mutating func changeFolder() {
        var found: [ExactText: FoundFile] = [:]
        for name in Self.names where random.next() % 2 == 0 {
            let file = scene.file(pick(Self.keys), name: name)
            let record: RecordFinding =
                switch random.next() % 4 {
                case 0: .absent
                case 1: .damaged("why")
                default: .found(file.record)
                }
            let stamp = random.next() % 2 == 0 ? file.stamp : scene.stamp(inode: random.next() % 5)
            found[name] = FoundFile(stamp: stamp, record: record)
        }
        let changes = (0..<3).map { _ in
            let (name, other) = (pick(Self.names), pick(Self.names))
            return pick([
                FolderChange.added(name), .removed(name), .modified(name),
                .renamed(from: name, to: other), .overflowed,
            ])
        }
        apply(.folderChanged(changes, found))
    }

    private mutating func apply(_ event: LibraryIndex.Event) { perform(scene.index.handle(event)) }

    private mutating func perform(_ actions: [LibraryIndex.Action]) {
        for action in actions {
            switch action {
            case .start(let start):
                if runs[start.pending.key] != nil {
                    faults.append("two runs of \(start.pending.key)")
                }
                runs[start.pending.key] = start.run
            case .conclude(let key, _): waiters[key] = 0
            case .renew(let key, let run, _): renewals.append((key, run))
            default: break
            }
        }
        check()
    }

    private mutating func check() {
        let entries = scene.index.entries
        let names = entries.values.compactMap { $0.file?.name }
        if Set(names).count != names.count { faults.append("two keys have one file: \(names)") }
        for (key, run) in runs where entries[key]?.download?.run != run {
            faults.append("the run of \(key) is forgotten")
        }
        for (key, entry) in entries {
            if entry.file == nil, entry.download == nil {
                faults.append("\(key) has neither a file nor a download")
            }
            if let file = entry.file, file.record.key != key { faults.append("\(key)'s file") }
        }
    }
}
