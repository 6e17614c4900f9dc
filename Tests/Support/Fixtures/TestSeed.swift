package import PawlCore
import Glibc

/// The seed of a random test: printed, so that a failure can be run again.
package enum TestSeed {
    /// `PAWL_SEED` from the environment where it is set, else a fresh one; printed with the name.
    package static func current(_ name: String) -> UInt64 {
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(name): PAWL_SEED=\(seed)")
        return seed
    }

    /// A generator with that seed.
    package static func generator(_ name: String) -> SplitMix64 {
        SplitMix64(seed: current(name))
    }

    /// So many seeds that follow from one; only that one where it was given.
    package static func seeds(_ name: String, count: Int) -> [UInt64] {
        if let given {
            print("\(name): PAWL_SEED=\(given)")
            return [given]
        }
        var generator = generator(name)
        return (0..<count).map { _ in generator.next() }
    }

    private static var given: UInt64? {
        getenv("PAWL_SEED").flatMap { UInt64(String(cString: $0)) }
    }
}
