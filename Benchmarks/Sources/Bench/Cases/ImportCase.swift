internal import Glibc

/// Measures the import of a long list into the daemon's queue.
extension BenchmarkCase {
    private static let lines = 1_000_000

    static let daemonImport = BenchmarkCase(
        "daemon-import",
        "1,000,000 downloads of a list",
        about: """
            A list of 1,000,000 URLs is added by one `pawl add --input-file`: as paused downloads, \
            and as downloads that wait for a date, which the daemon's schedule keeps in memory; with \
            the queue in a file and, if `PAWL_TEST_STORE` has the address of a database, in \
            PostgreSQL. *wall*, CPU and *peak* are those of the command; the notes have the CPU and \
            the memory of the daemon. The targets are 60 seconds, and memory that does not depend on \
            the length of the list, except for the schedule.
            """
    ) { workshop, report in
        var list = ""
        for number in 0..<lines { list += "http://host.invalid/files/\(number).bin\n" }
        let address = getenv("PAWL_TEST_STORE").map { String(cString: $0) }
        report.rounds = 1
        for store in [nil, address] where store != nil || report.rows.isEmpty {
            let name = store == nil ? "file" : "PostgreSQL"
            for (state, options) in [
                ("paused", ["--paused"]), ("waiting", ["--not-before", "2099-01-01 00:00"]),
            ] {
                let label = "\(name), \(state)"
                let home = try DaemonHome("daemon-import", in: workshop, store: store, state)
                let daemon = try workshop.daemon(home)
                defer { daemon.stop() }
                var entrant = Entrant(
                    label: label,
                    words: [workshop.settings.pawl, "add", "-i", Invocation.listPath] + options,
                    kind: .pawl
                )
                entrant.invocation.list = list
                entrant.invocation.environment = home.environment
                let before = try (daemon.memoryBytes(), daemon.cpuSeconds())
                let contest = Contest(entrants: [entrant], expected: [], mostRounds: 1)
                guard var row = try workshop.run(contest).first else { continue }
                let grown = try (daemon.memoryBytes() - before.0) / 1_048_576
                let cpu = try daemon.cpuSeconds() - before.1
                row.notes = [
                    "daemon: CPU \(FigureText.seconds(cpu)), "
                        + "\(FigureText.decimal(grown, 1)) MiB more memory"
                ]
                report.rows.append(row)
                report.goals += [
                    Goal(
                        "1,000,000 lines, \(label)",
                        row.measurement.map { $0.wallSeconds * 1000 },
                        atMost: 60_000,
                        .milliseconds
                    ),
                    Goal(
                        "memory of pawl add, \(label)",
                        row.measurement?.peakBytes.map { $0 / 1_048_576 },
                        atMost: 80,
                        .mebibytes
                    ),
                ]
                guard state == "paused" else { continue }
                report.goals.append(
                    Goal("more memory of the daemon, \(label)", grown, atMost: 100, .mebibytes)
                )
            }
        }
    }
}
