internal import PawlCore
internal import Synchronization

/// Seeds for the random waits of downloads: the system is asked once, not for each.
package final class Seeds: Sendable {
    private let generator = Mutex(SplitMix64(seed: .random(in: 0 ... .max)))

    package func next() -> UInt64 { generator.withLock { $0.next() } }
}
