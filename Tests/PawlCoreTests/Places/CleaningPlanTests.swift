import PawlCore
import PawlTesting
import Testing

/// Contract: "caches can be cleaned by age, size or when the disk runs low".
@Suite(.timeLimit(.minutes(5)))
struct CleaningPlanTests {
    private typealias Candidate = CleaningPlan.Candidate

    private static let second: Int64 = 1_000_000_000

    /// Files of 100 bytes each, used 0, 10, 20 … seconds after 1970.
    private static func candidates(_ count: Int, inUse: Set<Int> = []) -> [Candidate] {
        (0..<count).map { index in
            Candidate(
                index: index,
                bytes: 100,
                reclaimableBytes: 4096,
                lastUsed: Int64(index) * 10 * second,
                isInUse: inUse.contains(index)
            )
        }
    }

    private static func doomed(
        _ candidates: [Candidate],
        _ policy: CleaningPolicy,
        now: Int64 = 100 * second,
        free: Int64? = nil
    ) -> [Int] {
        CleaningPlan(candidates, policy: policy, now: now, freeBytes: free).doomed
    }

    @Test func `without a limit nothing is removed`() {
        #expect(Self.doomed(Self.candidates(9), CleaningPolicy(), free: 0) == [])
    }

    @Test func `an age limit removes files not used for longer`() {
        let policy = CleaningPolicy(maximumAge: .seconds(80))
        #expect(Self.doomed(Self.candidates(9), policy) == [0, 1])
    }

    @Test func `a size limit removes the least recently used files until the rest fits`() {
        let shuffled = [5, 2, 7, 0, 8, 1, 3, 6, 4].map { Self.candidates(9)[$0] }
        #expect(Self.doomed(shuffled, CleaningPolicy(maximumTotalBytes: 650)) == [0, 1, 2])
        #expect(Self.doomed(shuffled, CleaningPolicy(maximumTotalBytes: 900)) == [])
        #expect(Self.doomed(shuffled, CleaningPolicy(maximumTotalBytes: -1)).count == 9)
    }

    @Test func `a free-space limit removes as many files as necessary`() {
        let policy = CleaningPolicy(minimumFreeBytes: 10_000)
        #expect(Self.doomed(Self.candidates(9), policy, free: 5_000) == [0, 1])
        #expect(Self.doomed(Self.candidates(9), policy, free: 10_000) == [])
        #expect(Self.doomed(Self.candidates(9), policy, free: nil) == [])
    }

    @Test func `a file that frees no space is not removed for a free-space limit`() {
        var candidates = Self.candidates(3)
        candidates[0].reclaimableBytes = 0
        let policy = CleaningPolicy(minimumFreeBytes: 10_000)
        #expect(Self.doomed(candidates, policy, free: 9_000) == [1])
    }

    @Test func `a file in use stays, and others are removed in its place`() {
        let candidates = Self.candidates(9, inUse: [0, 2])
        #expect(Self.doomed(candidates, CleaningPolicy(maximumTotalBytes: 650)) == [1, 3, 4])
        #expect(
            Self.doomed(candidates, CleaningPolicy(maximumAge: .zero)) == [1, 3, 4, 5, 6, 7, 8]
        )
    }

    @Test func `several limits combine`() {
        let policy = CleaningPolicy(
            maximumAge: .seconds(95),
            maximumTotalBytes: 700,
            minimumFreeBytes: 20_000
        )
        #expect(Self.doomed(Self.candidates(9), policy, free: 20_000) == [0, 1])
        #expect(Self.doomed(Self.candidates(9), policy, free: 8_000) == [0, 1, 2])
    }

    @Test func `a future time counts as new, and invalid numbers do no harm`() {
        let odd = [
            Candidate(index: 0, bytes: .max, reclaimableBytes: .max, lastUsed: .max),
            Candidate(index: 1, bytes: .max, reclaimableBytes: .max, lastUsed: .min),
            Candidate(index: 2, bytes: -5, reclaimableBytes: -5, lastUsed: 0),
        ]
        #expect(Self.doomed(odd, CleaningPolicy(maximumAge: .seconds(99))) == [1, 2])
        let policy = CleaningPolicy(maximumTotalBytes: 10, minimumFreeBytes: .max)
        #expect(Self.doomed(odd, policy, free: .max) == [1])
    }

    @Test func `no more than necessary is removed from random caches`() {
        var random = TestSeed.generator("cleaning plans")
        for _ in 0..<500 {
            let candidates = (0..<Int.random(in: 0...20, using: &random)).map { index in
                let bytes = Int64.random(in: 0...1000, using: &random)
                return Candidate(
                    index: index,
                    bytes: bytes,
                    reclaimableBytes: bytes,
                    lastUsed: Int64.random(in: 0...50, using: &random),
                    isInUse: Bool.random(using: &random)
                )
            }
            let limit = Int64.random(in: 0...10_000, using: &random)
            let doomed = Self.doomed(candidates, CleaningPolicy(maximumTotalBytes: limit))
            let gone = Set(doomed)
            let left = candidates.filter { !gone.contains($0.index) }
            let total = left.reduce(0) { $0 + $1.bytes }
            #expect(total <= limit || left.allSatisfy { $0.isInUse })
            #expect(gone.count == doomed.count)
            if let last = doomed.last {
                // Without the last removal it would not have been enough.
                #expect(total + candidates[last].bytes > limit)
                #expect(left.allSatisfy { $0.isInUse || $0.lastUsed >= candidates[last].lastUsed })
            }
            #expect(doomed.allSatisfy { !candidates[$0].isInUse })
        }
    }
}
