extension BenchmarkCase {
    static let longLink = BenchmarkCase(
        "long-link",
        "64 MiB over 100 Mbit/s with a round-trip time of 80 ms",
        about: """
            nginx runs in one network namespace and the programs in another. A traffic shaper of \
            the benchmark connects them; its queue holds the bytes of one round trip. The \
            congestion control is the system's default. Ideal: the link is always full.
            """
    ) { workshop, report in
        let link = LinkSettings(
            delayMilliseconds: 40,
            loss: 0,
            bitsPerSecond: 100_000_000,
            queueBytes: 1_000_000
        )
        try workshop.compareOnLink(link, mebibytes: 64, into: &report)
        report.idealSeconds = 67_108_864 * 8 / 100e6
        report.goals = [.againstBestPeer(.wall, in: report.rows)]
    }

    static let lossyLink = BenchmarkCase(
        "lossy-link",
        "24 MiB with 60 ms round-trip time and 0.1 % packet loss",
        about: """
            As long-link, but with 1 Gbit/s and packet loss in both directions. The same packets, \
            by number, are lost in every run. The congestion control is reno, which takes each \
            loss for congestion.
            """
    ) { workshop, report in
        let link = LinkSettings(
            delayMilliseconds: 30,
            loss: 0.001,
            bitsPerSecond: 1_000_000_000,
            queueBytes: 8_000_000,
            congestionControl: "reno"
        )
        try workshop.compareOnLink(link, mebibytes: 24, into: &report)
        report.goals = [.ratio("pawl", to: "aria2 (8)", .wall, in: report.rows, atMost: 0.9)]
    }
}

extension Workshop {
    fileprivate func compareOnLink(
        _ link: LinkSettings,
        mebibytes: Int,
        into report: inout CaseReport
    ) throws {
        let name = try randomFile(mebibytes: mebibytes)
        let pair = try NetworkPair(link, in: self)
        defer { pair.close() }
        let nginx = try Nginx(
            NginxSettings(addresses: [pair.serverAddress], plainPort: 80, network: pair.server),
            in: self
        )
        defer { nginx.stop() }
        let tools = Toolbox(settings)
        let job = Job(sources: [nginx.url(name)])
        var several = job
        several.connections = .fixed(8)
        report.rows = try run(
            Contest(
                entrants: [
                    Entrant(tools.pawl, job), Entrant(tools.pawl, several),
                    Entrant(tools.curl, job), Entrant(tools.wget2, job),
                    Entrant(tools.aria2, several), Entrant(tools.axel, several),
                ].compactMap(\.self),
                expected: [ExpectedFile(name: job.name, original: contents + "/" + name)],
                mostRounds: 3,
                network: pair.client
            )
        )
        report.rounds = min(3, settings.rounds)
    }
}
