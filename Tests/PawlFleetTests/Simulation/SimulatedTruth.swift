import PawlCore
import PawlFleet

/// What is so, whatever the nodes believe: the time, the versions of the files, the faults.
final class SimulatedTruth {
    static let partBytes: Int64 = 8 << 20

    let bug: SeededBug?
    private(set) var now = Moment.zero
    private(set) var violations: [String] = []
    private(set) var situations: Set<SimulatedSituation> = []
    /// The current version of each file.
    private var versions: [Int]
    private let representations: [[Representation]]
    /// Whether the numbers of the parts are as rare as in the largest file.
    private let hasFewNumbers: Bool
    /// The last moment at which a machine could not reach the database in time.
    private var troubles: [Moment?]

    init(machines: Int, bug: SeededBug?, random: inout SplitMix64) {
        self.bug = bug
        hasFewNumbers = Int.random(in: 0..<3, using: &random) == 0
        let downloads = Int.random(in: 1...3, using: &random)
        versions = Array(repeating: 0, count: downloads)
        troubles = Array(repeating: nil, count: machines)
        var all: [[Representation]] = []
        for _ in 0..<downloads {
            let most: Int64 = Bool.random(using: &random) ? 4 : 24
            let parts = Int64.random(in: 1...most, using: &random)
            // A file of one part stays one.
            let growth: Int64 = Bool.random(using: &random) ? 0 : 1
            let first = parts * Self.partBytes - (parts == 1 ? 4 : 2)
            all.append(
                (0..<4).map { version in
                    var seen = Representation(total: first + growth * Int64(version))
                    seen.entityTag = EntityTag(lenient: "\"\(version)\"")
                    return seen
                }
            )
        }
        representations = all
    }

    var downloads: Int { versions.count }

    func advance(to moment: Moment) { now = max(now, moment) }

    func report(_ violation: String) {
        violations.append("\(violation) after \((now - .zero).seconds) s")
    }

    func note(_ situation: SimulatedSituation) { situations.insert(situation) }

    // MARK: - Files

    func version(of download: Int) -> Int { versions[download] }

    func change(_ download: Int) {
        note(.representationChanged)
        versions[download] = min(versions[download] + 1, representations[download].count - 1)
    }

    func representation(_ download: Int, _ version: Int) -> Representation {
        representations[download][version]
    }

    func bytes(_ download: Int, _ version: Int) -> Int64 {
        representations[download][version].total ?? 0
    }

    func bytes(_ download: Int, _ version: Int, part: Int) -> Int64 {
        let start = Int64(part) * Self.partBytes
        return max(0, min(Self.partBytes, bytes(download, version) - start))
    }

    func parts(_ download: Int, _ version: Int) -> Int {
        grid(download, version)?.count ?? 0
    }

    /// Whether one request stores the whole file.
    func isSmall(_ download: Int) -> Bool { parts(download, 0) == 1 }

    func grid(_ download: Int, _ version: Int) -> UploadGrid? {
        UploadGrid(total: bytes(download, version), partBytes: Self.partBytes)
    }

    func numbers(_ download: Int, _ version: Int) -> PartNumbers {
        PartNumbers(parts: hasFewNumbers ? UploadGrid.mostParts : parts(download, version))
    }

    // MARK: - Faults

    func noteTrouble(of machine: Int, until moment: Moment) {
        troubles[machine] = max(troubles[machine] ?? moment, moment)
    }

    /// Whether a machine has had trouble of its own shortly before.
    func hadTrouble(_ machine: Int) -> Bool {
        troubles[machine].map { now < $0 + .seconds(25) } ?? false
    }
}
