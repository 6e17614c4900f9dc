/// The cost of one run of a program.
struct Measurement: Codable, Sendable {
    /// The time from its start to its end.
    var wallSeconds: Double
    /// The user and system time of all its threads; `nil` if only the time was measured.
    var cpuSeconds: Double?
    /// The peak of its physical memory.
    var peakBytes: Double?

    /// Returns the minimum of each figure, because disturbances only increase figures.
    func least(_ other: Measurement?) -> Measurement {
        guard let other else { return self }
        return Measurement(
            wallSeconds: min(wallSeconds, other.wallSeconds),
            cpuSeconds: Self.lesser(cpuSeconds, other.cpuSeconds),
            peakBytes: Self.lesser(peakBytes, other.peakBytes)
        )
    }

    private static func lesser(_ first: Double?, _ second: Double?) -> Double? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }
}

/// A figure of a measurement.
enum Figure: String, Codable, Sendable {
    case wall, cpu, peak

    func value(of measurement: Measurement) -> Double? {
        switch self {
        case .wall: measurement.wallSeconds
        case .cpu: measurement.cpuSeconds
        case .peak: measurement.peakBytes
        }
    }
}
