extension BenchmarkCase {
    static let mirrorsFast = mirrors(
        "mirrors-fast",
        "64 MiB from two mirrors, one four times as fast",
        about: """
            One sends 16 MB/s and the other 4 MB/s, over all connections together. Ideal: both \
            send at full rate all the time.
            """,
        [OriginPlan(bytesPerSecond: 16e6), OriginPlan(bytesPerSecond: 4e6)],
        idealSeconds: 67_108_864 / 20e6
    )

    static let mirrorsDying = mirrors(
        "mirrors-dying",
        "64 MiB from two mirrors, one of which fails",
        about: """
            Each sends 10 MB/s over all connections together. After 20 MB, the first one resets \
            its open connections and each new one. Ideal: both for two seconds, then the second \
            one alone.
            """,
        [
            OriginPlan(bytesPerSecond: 10e6, turn: .init(afterBytes: 20_000_000, change: .dies)),
            OriginPlan(bytesPerSecond: 10e6),
        ],
        idealSeconds: 2 + (67_108_864 - 40e6) / 10e6
    )

    static let mirrorsSlowing = mirrors(
        "mirrors-slowing",
        "64 MiB from two mirrors, one of which becomes slow",
        about: """
            Each sends 10 MB/s over all connections together. After 20 MB, the first one slows \
            down to 64 KiB/s. Ideal: both at full rate for two seconds, then the second one at \
            full rate and the first one at 64 KiB/s.
            """,
        [
            OriginPlan(
                bytesPerSecond: 10e6,
                turn: .init(afterBytes: 20_000_000, change: .slows(bytesPerSecond: 65_536))
            ),
            OriginPlan(bytesPerSecond: 10e6),
        ],
        idealSeconds: 2 + (67_108_864 - 40e6) / (10e6 + 65_536)
    )

    private static func mirrors(
        _ name: String,
        _ title: String,
        about: String,
        _ plans: [OriginPlan],
        idealSeconds: Double
    ) -> BenchmarkCase {
        BenchmarkCase(name, title, about: "Both servers are part of the benchmark. " + about) {
            workshop,
            report in
            let file = try workshop.randomFile(mebibytes: 64)
            let origins = try plans.map { try workshop.origin(file, $0) }
            try workshop.compareOnOrigins(origins, file, connections: 8, into: &report)
            report.idealSeconds = idealSeconds
            report.goals = [.againstIdeal("pawl", idealSeconds, in: report.rows, atMost: 1.15)]
        }
    }
}
