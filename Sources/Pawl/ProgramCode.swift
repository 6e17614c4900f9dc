#if canImport(Glibc)
internal import Glibc
#endif
internal import PawlCore

/// The pages of memory that contain this process's code.
package enum ProgramCode {
    /// Releases all of them.
    ///
    /// Code that is needed again is mapped again from the kernel's cache.
    ///
    /// Starting uses four fifths of a program's code, which are not needed once it runs.
    package static func returnToSystem() {
        #if canImport(Glibc)
        guard let list = fopen("/proc/self/maps", "re") else { return }
        defer { fclose(list) }
        var line = [CChar](repeating: 0, count: 4096 + 100)
        while fgets(&line, Int32(line.count), list) != nil {
            let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            guard let pages = addresses(String(decoding: bytes, as: UTF8.self)),
                let start = UnsafeMutableRawPointer(bitPattern: pages.lowerBound)
            else { continue }
            // If this fails, the memory stays in use, which does no harm.
            _ = madvise(start, Int(pages.upperBound - pages.lowerBound), MADV_DONTNEED)
        }
        #endif
    }

    /// Returns the addresses in a line of proc_pid_maps(5) that maps code of a file, which is never
    /// written to: `55d0-55e0 r-xp 00000000 fe:00 1234 /usr/bin/pawl`.
    package static func addresses(_ line: String) -> Range<UInt>? {
        let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard words.count == 6, words[1] == "r-xp",
            words[5].drop(while: { $0 == " " }).isAbsolutePath
        else { return nil }
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard ends.count == 2, ends[0] < ends[1] else { return nil }
        return ends[0]..<ends[1]
    }
}
