/// A case of the benchmark.
struct BenchmarkCase: Sendable {
    let name: String
    let title: String
    let about: String
    /// Whether it runs if no cases are named.
    let runsByDefault: Bool
    private let work: @Sendable (Workshop, inout CaseReport) throws -> Void

    init(
        _ name: String,
        _ title: String,
        about: String,
        runsByDefault: Bool = true,
        _ work: @escaping @Sendable (Workshop, inout CaseReport) throws -> Void
    ) {
        self.name = name
        self.title = title
        self.about = about
        self.runsByDefault = runsByDefault
        self.work = work
    }

    func run(in workshop: Workshop) throws -> CaseReport {
        var report = CaseReport(name: name, title: title, about: about)
        report.rounds = workshop.settings.rounds
        do {
            try work(workshop, &report)
        } catch let skip as Skip {
            report.skipped = skip.reason
        }
        return report
    }
}

/// The reason why a case cannot run on this machine.
struct Skip: Error {
    let reason: String
}
