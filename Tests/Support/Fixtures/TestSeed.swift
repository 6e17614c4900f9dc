package import PawlCore
import Glibc

/// The seed of a random test, which is printed so that a failure can be repeated.
package enum TestSeed {
    /// Returns `PAWL_SEED` from the environment, or a random seed if it is not set, and prints it.
    package static func current(_ name: String) -> UInt64 {
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(name): PAWL_SEED=\(seed)")
        return seed
    }

    /// Returns a generator with the current seed.
    package static func generator(_ name: String) -> SplitMix64 {
        SplitMix64(seed: current(name))
    }

    /// Returns `count` seeds that follow from one, or only the given seed if `PAWL_SEED` is set.
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
