internal import CBench
internal import Glibc

/// Compares a tool's copy with the server's file.
enum FileComparison {
    /// Returns what is wrong with the copy; `nil` if nothing is.
    static func fault(in copy: String, original: String) -> String? {
        let name = copy.split(separator: "/").last.map(String.init) ?? copy
        let first = bench_open(original, O_RDONLY | O_CLOEXEC, 0)
        let second = bench_open(copy, O_RDONLY | O_CLOEXEC, 0)
        defer {
            if first >= 0 { close(first) }
            if second >= 0 { close(second) }
        }
        guard first >= 0 else { return "cannot open the original of \(name)" }
        guard second >= 0 else { return "the file \(name) is missing" }
        let sizes = (size(first), size(second))
        guard sizes.0 == sizes.1 else { return "\(name) has \(sizes.1) of \(sizes.0) bytes" }
        return firstDifference(first, second).map { "\(name) differs at byte \($0)" }
    }

    private static func size(_ file: Int32) -> Int64 { Int64(lseek(file, 0, SEEK_END)) }

    private static func firstDifference(_ first: Int32, _ second: Int32) -> Int? {
        let chunk = 256 * 1024
        let buffers = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * chunk, alignment: 4096)
        defer { buffers.deallocate() }
        guard let left = buffers.baseAddress else { return 0 }
        let right = left + chunk
        var offset = 0
        while true {
            let counts = (pread(first, left, chunk, offset), pread(second, right, chunk, offset))
            guard counts.0 >= 0, counts.0 == counts.1, memcmp(left, right, counts.0) == 0
            else { return offset }
            guard counts.0 > 0 else { return nil }
            offset += counts.0
        }
    }
}
