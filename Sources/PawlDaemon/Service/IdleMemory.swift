internal import Glibc

/// Gives memory back when the daemon has nothing to do.
///
/// What it holds then is mostly its own program, of which a start or a download has touched much once,
/// and what a large request has left in the heap.
package final class IdleMemory: Sendable {
    private let bell = Bell()
    private let isBusy: @Sendable () -> Bool

    init(isBusy: @Sendable @escaping () -> Bool) { self.isBusy = isBusy }

    /// Something was done, so that there will be something to give back.
    func used() { bell.ring() }

    /// Gives back what is not used, a while after something was done; until the task is cancelled.
    ///
    /// While nothing is done it does not wake.
    func run() async {
        while !Task.isCancelled {
            repeat {
                // Cancelled is what the loops look at.
                try? await Task.sleep(for: Self.rest)
            } while isBusy() && !Task.isCancelled
            Self.giveBack()
            await bell.wait()
        }
    }

    private static let rest: Duration = .seconds(2)

    /// malloc_trim(3), which Swift's module of Glibc leaves out.
    private static let trimHeap = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// Free heap goes back to the system; code that is needed again is mapped again, from the
    /// kernel's cache.
    private static func giveBack() {
        _ = trimHeap?(0)
        guard let list = fopen("/proc/self/maps", "re") else { return }
        defer { fclose(list) }
        var line = [CChar](repeating: 0, count: 4096 + 100)
        while fgets(&line, Int32(line.count), list) != nil {
            let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            guard let code = code(String(decoding: bytes, as: UTF8.self)),
                let start = UnsafeMutableRawPointer(bitPattern: code.lowerBound)
            else { continue }
            // Without it the memory stays, which is no harm.
            _ = madvise(start, Int(code.upperBound - code.lowerBound), MADV_DONTNEED)
        }
    }

    /// The addresses of a line of proc_pid_maps(5) that maps code of a file, which is never written
    /// to: `55d0-55e0 r-xp 00000000 fe:00 1234 /usr/bin/pawld`.
    package static func code(_ line: String) -> Range<UInt>? {
        let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard words.count == 6, words[1] == "r-xp",
            words[5].drop(while: { $0 == " " }).hasPrefix("/")
        else { return nil }
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard ends.count == 2, ends[0] < ends[1] else { return nil }
        return ends[0]..<ends[1]
    }
}
