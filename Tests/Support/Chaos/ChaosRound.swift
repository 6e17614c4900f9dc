package import PawlCore
import SystemPackage

/// What a client is to do in one run.
package struct ChaosOrder: Sendable {
    package let scenario: ChaosScenario
    package let url: String
    /// Where it works.
    package let folder: ScratchFolder
    /// What the file is to be called.
    package let name: String
    /// How it is ended from outside, if it is.
    package let manner: ChaosStop.Manner?
    package let trigger: ChaosTrigger
}

/// How a run ended, and what the client said.
package struct ChaosEnd: Sendable {
    package enum Outcome: Sendable {
        case finished
        case failed(ErrorCode)
        /// Ended from outside, without a word.
        case killed
        /// It crashed, or its error has no meaning.
        case wrong(String)
    }

    package var outcome: Outcome
    package var log: String

    package init(_ outcome: Outcome, log: String) {
        self.outcome = outcome
        self.log = log
    }
}

/// Who fetches from a chaos origin.
package protocol ChaosClient: Sendable {
    /// Begins with what the last run left, and returns when the run has ended.
    ///
    /// When its task is cancelled, it has taken too long.
    func run(_ order: ChaosOrder) async throws -> ChaosEnd
}

/// All runs of one seed: the client fetches until it has the file, is ended from outside or fails;
/// at last the origin does no wrong, and the client must get the file.
struct ChaosRound: Sendable {
    private let scenario: ChaosScenario
    private let client: any ChaosClient
    private let origin: ChaosOrigin
    private let folder: ScratchFolder
    private var lines: [String] = []
    private var violations: [String] = []
    private(set) var tally = ChaosTally()

    static let name = "file.bin"
    /// No scenario keeps a sound client for so long.
    private static let longest: Duration = .seconds(60)

    init(_ scenario: ChaosScenario, _ client: any ChaosClient) throws(Errno) {
        self.scenario = scenario
        self.client = client
        origin = try ChaosOrigin(scenario)
        folder = try ScratchFolder.inMemory()
    }

    /// What went wrong, with all that happened; nil where nothing did.
    mutating func run() async throws -> String? {
        lines = [scenario.description]
        var isDone = false
        for (number, stop) in scenario.stops.enumerated() where !isDone {
            isDone = try await run(number + 1, stop: stop)
        }
        if !isDone {
            origin.calmDown()
            isDone = try await run(scenario.stops.count + 1, stop: nil)
            // Bytes of an older version are set aside when the digest refuses them.
            if !isDone, scenario.checksum != nil {
                isDone = try await run(scenario.stops.count + 2, stop: nil)
            }
            if !isDone {
                violations.append("it gets no file from a server that does no wrong any more")
            }
        }
        tally.add(origin.answers)
        guard !violations.isEmpty else { return nil }
        return (violations.map { "VIOLATION: \($0)" } + lines).joined(separator: "\n")
    }

    /// Returns whether it has the file.
    private mutating func run(_ number: Int, stop: ChaosStop?) async throws -> Bool {
        let trigger = ChaosTrigger()
        let first = origin.requests.count
        let before = files
        lines.append("run \(number), \(stop?.description ?? "to its end"); there: \(folder.list())")
        origin.beginRun(stop: stop, trigger)
        let order = ChaosOrder(
            scenario: scenario,
            url: origin.url,
            folder: folder,
            name: Self.name,
            manner: stop?.manner,
            trigger: trigger
        )
        let end = try await inTime(order)
        lines += origin.story(from: first)
        lines += end.log.split(separator: "\n").map { "  | \($0)" }
        lines.append("  \(end.outcome); there: \(folder.list())")
        if number <= scenario.stops.count { tally.ended(end.outcome) }
        try judge(end.outcome, order, before: before)
        if case .finished = end.outcome { return true }
        return false
    }

    private func inTime(_ order: ChaosOrder) async throws -> ChaosEnd {
        let client = client
        return try await withThrowingTaskGroup(of: ChaosEnd?.self) { group in
            group.addTask { try await client.run(order) }
            group.addTask {
                let time = SystemTimekeeper()
                // Cancelled where the client was faster.
                try? await time.sleep(until: time.now() + Self.longest)
                return nil
            }
            let first = try await group.next() ?? nil
            group.cancelAll()
            guard let first else {
                let log = try await group.next()??.log ?? ""
                return ChaosEnd(.wrong("it did not end within \(Self.longest)"), log: log)
            }
            return first
        }
    }

    // MARK: - What must hold

    private mutating func judge(
        _ outcome: ChaosEnd.Outcome,
        _ order: ChaosOrder,
        before: [String]
    ) throws {
        let served = origin.answers.served
        for file in files {
            let bytes = try folder.read(file)
            if let name = served.name(bytes) {
                lines.append("  \(file) is \(name)")
                if scenario.refuses(name) {
                    violations.append("\(file) has another digest: \(name)")
                }
            } else {
                violations.append(
                    "\(file) is nothing that was served: \(served.describe(bytes)); "
                        + "served: \(served.labels)"
                )
            }
        }
        switch outcome {
        case .finished where files.isEmpty:
            violations.append("it says that it is done, without a file")
        case .failed(let code):
            if files != before { violations.append("it failed and left a file") }
            let isOurs = order.trigger.isPulled && order.manner == .interrupt
            if !Self.expected.contains(code), !(isOurs && code == .interrupted) {
                violations.append("it failed with \(code.rawValue)")
            }
        case .killed where !order.trigger.isPulled: violations.append("it was killed by nobody")
        case .wrong(let what): violations.append(what)
        case .finished, .killed: break
        }
    }

    /// The files that are no partial ones, nor set aside.
    private var files: [String] {
        folder.list().filter { name in
            !name.hasPrefix(".") && !name.contains(".part") && !name.contains(".corrupt")
        }
    }

    /// What such a server may make a client say; anything else is not its fault.
    private static let expected: Set<ErrorCode> = [
        .timedOut, .notFound, .network, .badResponse, .tooManyRedirects, .unauthorized, .serverBusy,
        .checksumMismatch, .keepsChanging, .redirectRefused, .captivePortal,
        .notTheFile,
    ]
}
