import Glibc

/// How much the simulations compute: in the checks a part of what `scripts/lab simulation` does.
enum SimulationExtent {
    /// The number of rounds that the environment asks for.
    static let wanted = getenv("PAWL_SIMULATIONS").flatMap { Int(String(cString: $0)) }
    /// The number of rounds of each simulation.
    static let rounds = wanted ?? 800
    static let minutes = 3 + rounds / 200
}
