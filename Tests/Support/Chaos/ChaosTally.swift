import PawlCore

/// The counts of a campaign, which show whether it tests anything.
struct ChaosTally: Sendable {
    private var seeds = 0
    private var requests = 0
    private var faultyRequests = 0
    /// The number of runs by outcome, while the origin had faults.
    private var ends: [String: Int] = [:]
    private var faults: [String: Int] = [:]

    mutating func ended(_ outcome: ChaosEnd.Outcome) {
        switch outcome {
        case .finished: ends["finished", default: 0] += 1
        case .failed(let code): ends[code.rawValue, default: 0] += 1
        case .killed: ends["killed", default: 0] += 1
        case .wrong: ends["wrong", default: 0] += 1
        }
    }

    mutating func add(_ answers: ChaosAnswers) {
        seeds += 1
        requests += answers.notes.count
        faultyRequests += answers.faulty
        faults.merge(answers.drawn, uniquingKeysWith: +)
    }

    mutating func add(_ other: ChaosTally) {
        seeds += other.seeds
        requests += other.requests
        faultyRequests += other.faultyRequests
        ends.merge(other.ends, uniquingKeysWith: +)
        faults.merge(other.faults, uniquingKeysWith: +)
    }

    var summary: String {
        """
        \(seeds) seeds, \(requests) requests, \(faultyRequests) of them with faults
          runs: \(Self.list(ends))
          faults: \(Self.list(faults))
        """
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
