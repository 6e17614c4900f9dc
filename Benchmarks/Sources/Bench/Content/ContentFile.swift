internal import CBench
internal import Glibc

/// Creates the files to fetch.
enum ContentFile {
    /// Writes pseudorandom bytes, which cannot be compressed; the same seed gives the same bytes.
    static func makeRandom(_ path: String, bytes: Int, seed: UInt64) throws {
        var state = seed
        var words = [UInt64](repeating: 0, count: 32 * 1024)
        try fill(path) { file in
            var left = bytes
            while left > 0 {
                for index in words.indices { words[index] = nextRandom(&state) }
                let count = min(left, words.count * 8)
                guard words.withUnsafeBytes({ write(file, $0.baseAddress, count) }) == count
                else { return false }
                left -= count
            }
            return true
        }
    }

    /// Writes zeros that take no space on the disk.
    static func makeSparse(_ path: String, bytes: Int) throws {
        try fill(path) { ftruncate($0, bytes) == 0 }
    }

    private static func fill(_ path: String, _ body: (Int32) -> Bool) throws {
        let file = bench_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw BenchError.system("cannot create \(path)") }
        let isComplete = body(file)
        guard close(file) == 0, isComplete else { throw BenchError.system("cannot fill \(path)") }
    }

    /// SplitMix64.
    private static func nextRandom(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
