internal import Synchronization

/// The memory for the parts of all downloads to object storage, of which each has a share.
package final class PartMemory: Sendable {
    /// The memory of all downloads of this process.
    package static let ofProcess = PartMemory()

    private struct State {
        var used: Int64 = 0
        var waiting: [(number: Int, wake: @Sendable () -> Void)] = []
        var nextNumber = 0
    }

    /// The number of bytes for all downloads together.
    package let bytes: Int64
    /// The maximum for one download.
    package let bytesPerDownload: Int64
    private let state = Mutex(State())

    package init(bytes: Int64 = 1 << 30, bytesPerDownload: Int64 = 64 << 20) {
        (self.bytes, self.bytesPerDownload) = (bytes, min(bytes, bytesPerDownload))
    }

    /// The number of bytes in use.
    package var used: Int64 { state.withLock { $0.used } }

    /// Takes memory; returns `false` if there is not enough.
    ///
    /// One use is granted even if it is larger than all of the memory. If there is not enough,
    /// `wait` gets the number of a wait for memory that is returned, unless it has one: then the
    /// closure is called once.
    func take(
        _ count: Int64,
        orWait wait: inout Int?,
        _ wake: @escaping @Sendable () -> Void
    ) -> Bool {
        let (isGranted, number) = state.withLock { [wait] state -> (Bool, Int?) in
            guard state.used > 0, state.used + count > bytes else {
                state.used += count
                return (true, wait)
            }
            guard wait == nil else { return (false, wait) }
            state.nextNumber += 1
            state.waiting.append((state.nextNumber, wake))
            return (false, state.nextNumber)
        }
        wait = number
        return isGranted
    }

    /// Returns memory, and calls everybody who waits for some.
    func giveBack(_ count: Int64) {
        guard count > 0 else { return }
        let waiting = state.withLock { state in
            state.used -= count
            defer { state.waiting = [] }
            return state.waiting
        }
        for (_, wake) in waiting { wake() }
    }

    /// Ends a wait for memory.
    func withdraw(_ number: Int) {
        state.withLock { state in state.waiting.removeAll { $0.number == number } }
    }
}
