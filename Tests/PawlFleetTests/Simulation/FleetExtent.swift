import Glibc

/// The extent of the simulation: the checks run a part of what `scripts/lab fleet` runs.
enum FleetExtent {
    private static let wanted = getenv("PAWL_FLEETS").flatMap { Int(String(cString: $0)) }
    /// The number of fleets.
    static let fleets = wanted ?? 2_000
    static let minutes = 5 + fleets / 2_000
}
