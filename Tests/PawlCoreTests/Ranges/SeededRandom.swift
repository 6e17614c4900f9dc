import class FoundationEssentials.ProcessInfo
import PawlCore

/// Random numbers determined by a seed: `PAWL_SEED` from the environment, or a new one.
///
/// A test that fails prints the seed. It fails again with `PAWL_SEED` set to that seed.
struct SeededRandom: RandomNumberGenerator {
    let seed: UInt64
    private var generator: SplitMix64

    init(seed: UInt64? = nil) {
        let given = ProcessInfo.processInfo.environment["PAWL_SEED"].flatMap { UInt64($0) }
        self.seed = seed ?? given ?? UInt64.random(in: 0 ... .max)
        generator = SplitMix64(seed: self.seed)
        print("PAWL_SEED=\(self.seed)")
    }

    mutating func next() -> UInt64 { generator.next() }
}
