/// What one run of a program cost.
struct Measurement: Codable, Sendable {
    /// From its start to its end.
    var wallSeconds: Double
    /// User and system time, of all its threads; nil where only time was taken.
    var cpuSeconds: Double?
    /// The most physical memory that it held at a time.
    var peakBytes: Double?

    /// Each figure the lesser of both: what disturbs a run only adds.
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

/// One of the figures of a measurement.
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
