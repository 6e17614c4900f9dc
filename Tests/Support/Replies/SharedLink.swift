import PawlCore
import Synchronization

/// A link of limited speed that several bodies share.
package final class SharedLink: Sendable {
    package let bytesPerSecond: Int64
    private let free = Mutex(Moment.zero)

    package init(bytesPerSecond: Int64) { self.bytesPerSecond = max(1, bytesPerSecond) }

    /// The maximum number of bytes that one body may send at once, so that the others get their
    /// turn.
    var sliceBytes: Int64 { max(1, bytesPerSecond / 100) }

    /// Reserves the link for `count` bytes and returns the moment at which they may be sent.
    func reserve(_ count: Int64, now: Moment) -> Moment {
        free.withLock { free in
            let start = max(free, now)
            free = start + .seconds(Double(count) / Double(bytesPerSecond))
            return start
        }
    }
}
