import PawlCore

/// The duration in seconds of the quickest of up to three rounds.
///
/// A round under `limit` is the last.
///
/// Other work on the machine only ever adds time, so the minimum is what the code needs.
package func leastSeconds(
    under limit: Double,
    _ round: () async throws -> Void
) async throws -> Double {
    let time = SystemTimekeeper()
    var least = Double.infinity
    for _ in 0..<3 where least >= limit {
        let start = time.now()
        try await round()
        least = min(least, (time.now() - start).seconds)
    }
    return least
}

/// Whether one of up to three rounds returns `true`.
///
/// For what a process must do within a certain time: a busy machine may leave it without a core for
/// longer, but not in each round.
package func quietRound(_ round: () async throws -> Bool) async throws -> Bool {
    var rounds = 0
    while rounds < 3 {
        if try await round() { return true }
        rounds += 1
    }
    return false
}

/// What a busy machine does to a process.
package enum BusyMachine {
    /// Longer than it leaves a process without a core: a timeout of this length ends only what
    /// does not happen at all.
    package static let longestPause: Duration = .seconds(15)

    /// `longestPause` in seconds, as the value of an option.
    package static let pauseSeconds = "15"
}
