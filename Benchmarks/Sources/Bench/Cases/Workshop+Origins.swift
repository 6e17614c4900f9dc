extension Workshop {
    /// Starts an origin that serves one of the contents until the workshop closes.
    func origin(_ name: String, _ plan: OriginPlan) throws -> Origin {
        let origin = try Origin(serving: contents + "/" + name, plan)
        atEnd { origin.stop() }
        return origin
    }

    /// Fetches one file from mirrored origins: with the given number of connections by all tools
    /// that support it, and by Pawl with its own choice, too.
    func compareOnOrigins(
        _ origins: [Origin],
        _ name: String,
        connections: Int,
        into report: inout CaseReport
    ) throws {
        let tools = Toolbox(settings)
        let auto = Job(sources: origins.map(\.url))
        var several = auto
        several.connections = .fixed(connections)
        var entrants = [
            Entrant(tools.wget2, several), Entrant(tools.aria2, several),
            Entrant(tools.axel, several),
        ]
        if try origins.count == 1 || pawlKnowsMirrors() {
            entrants.insert(Entrant(tools.pawl, several), at: 0)
            entrants.insert(Entrant(tools.pawl, auto), at: 1)
        } else {
            report.notes.append("Pawl is left out: this version does not support mirrors.")
        }
        report.rows = try run(
            Contest(
                entrants: entrants.compactMap(\.self),
                expected: [ExpectedFile(name: auto.name, original: contents + "/" + name)],
                limitSeconds: 20,
                mostRounds: 3,
                prepare: { for origin in origins { origin.reset() } }
            )
        )
        report.rounds = min(3, settings.rounds)
    }

    private func pawlKnowsMirrors() throws -> Bool {
        try command([settings.pawl, "get", "--help"]).contains("--mirror")
    }
}
