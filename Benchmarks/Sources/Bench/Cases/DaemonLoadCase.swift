/// Whether many readers slow the daemon down.
extension BenchmarkCase {
    static let daemonLoad = BenchmarkCase(
        "daemon-load",
        "1,000 clients and 100 readers of events while 8 downloads run",
        about: """
            8 files of 64 MiB from nginx, which gives each connection 8 MiB/s, so that all together \
            are a link of 64 MiB/s: from before the request to add them until every reader has heard \
            that all have finished; alone (one reader) and with the others, in turn. The clients ask \
            over TCP with the token, each over a connection of its own, once a second: 1,000 requests \
            a second, in turn for the status, the statistics, the health, one download and a page of \
            ten; those of the round with the least p99 are shown. An answer's time is from the \
            moment when it was due to be asked for, in the one thread that plays all clients, on the \
            same two cores. CPU and memory are the daemon's.
            """
    ) { workshop, report in
        let name = try workshop.randomFile(mebibytes: 64)
        let nginx = try workshop.nginx()
        let urls = (1...8).map { nginx.url("paced/" + name, host: $0) }
        let place = try DaemonPlace("daemon-load", in: workshop)
        let port = try Port.free()
        let daemon = try workshop.daemon(place, listen: port)
        defer { daemon.stop() }
        try workshop.ask(place, ["-o", "/dev/null"] + settingEight)
        var quiet = LoadSettings(port: port, token: try place.token())
        quiet.downloads = urls.count
        var busy = quiet
        (busy.clients, busy.readers) = (1000, 100)
        busy.paths = [
            "/v1/status", "/v1/statistics", "/healthz", "/v1/downloads/1",
            "/v1/downloads?limit=10",
        ]
        var rows = [
            Row(label: "alone", kind: .pawl), Row(label: "1,000 and 100", kind: .pawl),
        ]
        var best: LoadResult?
        report.rounds = min(3, report.rounds)
        for round in 1...report.rounds {
            for (index, load) in [quiet, busy].enumerated() {
                Progress.show("round \(round) of \(report.rounds): \(rows[index].label)")
                let (measurement, result) = try workshop.fetch(urls, by: place, daemon, under: load)
                rows[index].failure = rows[index].failure ?? workshop.fault(urls.count, name)
                rows[index].measurement = measurement.least(rows[index].measurement)
                let isBetter = result.percentile(99) < best?.percentile(99) ?? .infinity
                if index == 1, isBetter { best = result }
            }
        }
        Progress.clear()
        rows[1].notes = best.map { [$0.note] } ?? []
        report.rows = rows
        report.idealSeconds = 8
        report.goals = [
            .ratio("1,000 and 100", to: "alone", .wall, in: rows, atMost: 1 / 0.95),
            Goal("p99", best.map { $0.percentile(99) * 1000 }, atMost: 50, .milliseconds),
        ]
    }

    private static let settingEight = [
        "-X", "PATCH", "-H", "Content-Type: application/json", "--data",
        #"{"maximumConcurrentDownloads":8}"#, "http://localhost/v1/settings",
    ]
}

extension LoadResult {
    fileprivate var note: String {
        let percentiles = [50.0, 99, 100].map { FigureText.decimal(percentile($0) * 1000, 1) }
        return """
            \(latencies.count) answers: p50 \(percentiles[0]), p99 \(percentiles[1]), at most \
            \(percentiles[2]) ms; \(progressEvents) times progress to each reader; who asked used \
            \(FigureText.seconds(cpuSeconds)) of CPU
            """
    }
}

extension Workshop {
    /// Returns what is wrong with the copies; `nil` if nothing is.
    fileprivate func fault(_ count: Int, _ name: String) -> String? {
        for number in 0..<count {
            let copy = "\(downloads)/\(number)"
            if let fault = FileComparison.fault(in: copy, original: contents + "/" + name) {
                return fault
            }
        }
        return nil
    }
}
