import Glibc

/// The extent of the simulations: the checks run a part of what `scripts/lab simulation` runs.
enum SimulationExtent {
    /// The number of rounds that the environment asks for.
    static let wanted = getenv("PAWL_SIMULATIONS").flatMap { Int(String(cString: $0)) }
    /// The number of rounds of each simulation.
    static let rounds = wanted ?? 800
    static let minutes = 5 + rounds / 200
}
