import Glibc
import PawlCore
import PawlStorage
import PawlTesting

/// A disk whose syncs of data a test can wait for, hold up and let fail.
final class WatchedDisk: Sendable {
    private let calls = Observed(0)

    /// What a failed sync has lost.
    enum Fault: Sendable {
        case none
        /// EIO, and these bytes are zeroes from then on.
        case loses(ByteRange)
    }

    /// How many syncs were begun.
    var syncs: Int { calls.value }

    /// The closure is asked for each sync, by its number from 1, on the thread that syncs.
    func settings(_ fault: @escaping @Sendable (Int) -> Fault) -> StoreSettings {
        var settings = StoreSettings()
        settings.syncData = { self.sync($0, fault, fdatasync) }
        settings.syncAll = { self.sync($0, fault, fsync) }
        return settings
    }

    private func sync(
        _ descriptor: Int32,
        _ fault: (Int) -> Fault,
        _ call: (Int32) -> Int32
    ) -> Int32 {
        let number = calls.update { count in
            count += 1
            return count
        }
        guard case .loses(let range) = fault(number) else { return call(descriptor) }
        let zeroes = [UInt8](repeating: 0, count: Int(range.count))
        pwrite(descriptor, zeroes, zeroes.count, off_t(range.start))
        errno = EIO
        return -1
    }
}

extension ManualTimekeeper {
    /// Lets a second pass, and waits until the one download that runs has seen it.
    func passSecond() async {
        advance(by: .seconds(1))
        // While a transfer runs, and nothing is measured, it ticks five times a second.
        await waitForSleeper(until: now() + .milliseconds(200))
    }

    /// Lets time pass until so many syncs were begun.
    func passUntil(_ disk: WatchedDisk, syncs count: Int) async {
        while disk.syncs < count, !Task.isCancelled { await passSecond() }
    }
}
