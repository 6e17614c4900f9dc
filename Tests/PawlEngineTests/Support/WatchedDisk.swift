import Glibc
import PawlCore
import PawlStorage
import PawlTesting

/// A disk whose syncs a test can await, delay and fail.
final class WatchedDisk: Sendable {
    private let calls = Observed(0)

    /// What a failed sync loses.
    enum Fault: Sendable {
        case none
        /// EIO.
        ///
        /// These bytes are zeros from then on.
        case loses(ByteRange)
    }

    /// The number of syncs that were started.
    var syncs: Int { calls.value }

    /// Settings that call `fault` for each sync, with its number from 1, on the thread that syncs.
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
    /// Lets a second pass, and waits until the one running download has noticed it.
    func passSecond() async {
        advance(by: .seconds(1))
        // While a transfer runs and nothing is measured, the download ticks five times per second.
        await waitForSleeper(until: now() + .milliseconds(200))
    }

    /// Lets time pass until `count` syncs were started.
    func passUntil(_ disk: WatchedDisk, syncs count: Int) async {
        while disk.syncs < count, !Task.isCancelled { await passSecond() }
    }
}
