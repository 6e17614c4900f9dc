internal import PawlCore
internal import Synchronization

/// Creates seeds for the random delays of downloads from a single request to the system.
package final class Seeds: Sendable {
    private let generator = Mutex(SplitMix64(seed: .random(in: 0 ... .max)))

    package func next() -> UInt64 { generator.withLock { $0.next() } }
}
