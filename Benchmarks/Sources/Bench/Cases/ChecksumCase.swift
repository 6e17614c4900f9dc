extension BenchmarkCase {
    static let sha256 = BenchmarkCase(
        "sha256",
        "1 GiB over HTTP with a SHA-256 check",
        about: """
            The server is nginx on loopback. The target is relative to the longer of the transfer \
            and the hashing. The time for hashing is that of `openssl dgst`, run alone on the \
            server's copy of the file.
            """
    ) { workshop, report in
        let name = try workshop.randomFile(mebibytes: 1024)
        let path = workshop.contents + "/" + name
        let answer = try workshop.command(["openssl", "dgst", "-sha256", "-r", path])
        let plain = Job(sources: [try workshop.nginx().url(name)])
        var checked = plain
        checked.sha256 = answer.split(separator: " ").first.map(String.init)
        let tools = Toolbox(workshop.settings)
        let hashing = Entrant(
            label: "openssl dgst",
            words: ["openssl", "dgst", "-sha256", path],
            kind: .yardstick
        )
        report.rows = try workshop.run(
            Contest(
                entrants: [
                    Entrant(tools.pawl, checked, label: "pawl --checksum"),
                    Entrant(tools.pawl, plain), hashing,
                    Entrant(tools.aria2, checked, label: "aria2 --checksum"),
                ].compactMap(\.self),
                expected: [ExpectedFile(name: plain.name, original: path)]
            )
        )
        let walls = ["pawl", "openssl dgst"].compactMap {
            report.rows.measurement($0)?.wallSeconds
        }
        let larger = walls.count == 2 ? walls.max() : nil
        let ours = report.rows.measurement("pawl --checksum")?.wallSeconds
        report.goals = [
            Goal(
                "wall of pawl --checksum / the longer of transfer and hashing",
                ours.flatMap { ours in larger.map { ours / $0 } },
                atMost: 1.1
            )
        ]
    }
}
