import PawlCore
import Synchronization

/// A line of a certain speed that bodies share: what one takes the others wait for.
package final class SharedLink: Sendable {
    package let bytesPerSecond: Int64
    private let free = Mutex(Moment.zero)

    package init(bytesPerSecond: Int64) { self.bytesPerSecond = max(1, bytesPerSecond) }

    /// The most that one body may take at a time, so that the others get their turn.
    var sliceBytes: Int64 { max(1, bytesPerSecond / 100) }

    /// Takes the line for so many bytes; returns from when on.
    func reserve(_ count: Int64, now: Moment) -> Moment {
        free.withLock { free in
            let start = max(free, now)
            free = start + .seconds(Double(count) / Double(bytesPerSecond))
            return start
        }
    }
}
