import Glibc

/// SplitMix64.
///
/// The seed is printed. `PAWL_SEED` sets it to reproduce a failure.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ test: String) {
        let given = getenv("PAWL_SEED").flatMap { UInt64(String(cString: $0)) }
        state = given ?? UInt64.random(in: .min ... .max)
        print("PAWL_SEED=\(state) for \(test)")
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func text(upTo length: Int) -> String {
        let alphabet: [Character] = ["a", "Z", "0", "/", "\"", "ä", "日", "\n", "\u{1F680}"]
        return String(
            (0..<Int.random(in: 0...length, using: &self)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &self)]
            }
        )
    }
}
