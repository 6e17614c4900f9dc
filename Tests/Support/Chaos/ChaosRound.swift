package import PawlCore
import SystemPackage

/// The instructions for a client in one run.
package struct ChaosJob: Sendable {
    package let scenario: ChaosScenario
    package let url: String
    /// The folder in which the client works.
    package let folder: ScratchFolder
    /// The name of the file.
    package let name: String
    /// The manner in which the run is ended from outside; `nil` if it ends by itself.
    package let manner: ChaosStop.Manner?
    package let trigger: ChaosTrigger
}

/// The end of a run, with the client's log.
package struct ChaosEnd: Sendable {
    package enum Outcome: Sendable {
        case finished
        case failed(ErrorCode)
        /// Ended from outside, without an error.
        case killed
        /// Crashed, or failed with a meaningless error.
        case wrong(String)
    }

    package var outcome: Outcome
    package var log: String

    package init(_ outcome: Outcome, log: String) {
        self.outcome = outcome
        self.log = log
    }
}

/// A client that downloads from a chaos origin.
package protocol ChaosClient: Sendable {
    /// Resumes what the last run left, and returns when the run has ended.
    ///
    /// The task is cancelled if the run takes too long.
    func run(_ job: ChaosJob) async throws -> ChaosEnd
}

/// All runs of one seed: the client downloads until it has the file, fails or is ended from
/// outside.
///
/// In the last run the origin has no faults, and the client must get the file.
struct ChaosRound: Sendable {
    private let scenario: ChaosScenario
    private let client: any ChaosClient
    private let origin: ChaosOrigin
    private let folder: ScratchFolder
    private var lines: [String] = []
    private var violations: [String] = []
    private(set) var tally = ChaosTally()

    static let name = "file.bin"
    /// The longest time that a correct client takes in any scenario, on a busy machine.
    private static let longest: Duration = .seconds(180)

    init(_ scenario: ChaosScenario, _ client: any ChaosClient) throws(Errno) {
        self.scenario = scenario
        self.client = client
        origin = try ChaosOrigin(scenario)
        folder = try ScratchFolder.inMemory()
    }

    /// Runs the scenario and returns its violations and log, or `nil` if there are no violations.
    mutating func run() async throws -> String? {
        lines = [scenario.description]
        var isDone = false
        for (number, stop) in scenario.stops.enumerated() where !isDone {
            isDone = try await run(number + 1, stop: stop)
        }
        if !isDone {
            origin.calmDown()
            isDone = try await run(scenario.stops.count + 1, stop: nil)
            // The client sets bytes of an older version aside when the digest does not match.
            if !isDone, scenario.checksum != nil {
                isDone = try await run(scenario.stops.count + 2, stop: nil)
            }
            if !isDone {
                violations.append("the client gets no file from a server without faults")
            }
        }
        tally.add(origin.answers)
        guard !violations.isEmpty else { return nil }
        return (violations.map { "VIOLATION: \($0)" } + lines).joined(separator: "\n")
    }

    /// Returns whether the client has the file.
    private mutating func run(_ number: Int, stop: ChaosStop?) async throws -> Bool {
        let trigger = ChaosTrigger()
        let first = origin.requests.count
        let before = files
        lines.append("run \(number), \(stop?.description ?? "to its end"); there: \(folder.list())")
        origin.beginRun(stop: stop, trigger)
        let job = ChaosJob(
            scenario: scenario,
            url: origin.url,
            folder: folder,
            name: Self.name,
            manner: stop?.manner,
            trigger: trigger
        )
        let end = try await inTime(job)
        lines += origin.story(from: first)
        lines += end.log.split(separator: "\n").map { "  | \($0)" }
        lines.append("  \(end.outcome); there: \(folder.list())")
        if number <= scenario.stops.count { tally.ended(end.outcome) }
        try judge(end.outcome, job, before: before)
        if case .finished = end.outcome { return true }
        return false
    }

    private func inTime(_ job: ChaosJob) async throws -> ChaosEnd {
        let client = client
        return try await withThrowingTaskGroup(of: ChaosEnd?.self) { group in
            group.addTask { try await client.run(job) }
            group.addTask {
                let time = SystemTimekeeper()
                // The sleep is cancelled if the client finishes first.
                try? await time.sleep(until: time.now() + Self.longest)
                return nil
            }
            let first = try await group.next() ?? nil
            group.cancelAll()
            guard let first else {
                let log = try await group.next()??.log ?? ""
                return ChaosEnd(.wrong("the client did not end within \(Self.longest)"), log: log)
            }
            return first
        }
    }

    // MARK: - Checking the outcome

    private mutating func judge(
        _ outcome: ChaosEnd.Outcome,
        _ job: ChaosJob,
        before: [String]
    ) throws {
        let served = origin.answers.served
        for file in files {
            let bytes = try folder.read(file)
            if let name = served.name(bytes) {
                lines.append("  \(file) is \(name)")
                if scenario.refuses(name) {
                    violations.append("\(file) has the wrong digest: \(name)")
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
            violations.append("the client reports success without a file")
        case .failed(let code):
            if files != before { violations.append("the client failed and left a file") }
            let isOurs = job.trigger.isPulled && job.manner == .interrupt
            if !Self.expected.contains(code), !(isOurs && code == .interrupted) {
                violations.append("the client failed with \(code.rawValue)")
            }
        case .killed where !job.trigger.isPulled:
            violations.append("the client was killed, but not by the test")
        case .wrong(let what): violations.append(what)
        case .finished, .killed: break
        }
    }

    /// The files that are neither partial nor set aside.
    private var files: [String] {
        folder.list().filter { name in
            !name.hasPrefix(".") && !name.contains(".part") && !name.contains(".corrupt")
        }
    }

    /// The errors that such a server may cause; any other error is the client's fault.
    private static let expected: Set<ErrorCode> = [
        .timedOut, .notFound, .network, .badResponse, .tooManyRedirects, .unauthorized, .serverBusy,
        .checksumMismatch, .keepsChanging, .redirectRefused, .captivePortal,
        .notTheFile,
    ]
}
