internal import ArgumentParser
internal import Glibc

@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Compare pawl with curl, wget2, aria2 and axel."
    )

    @Argument(help: "The cases to run. Default: all but regret.")
    var cases: [String] = []

    @Option(
        help: "Number of runs of each program; the minimum counts. Default: 5, or 3 with --short."
    )
    var rounds: Int?

    @Flag(help: "Print the names of the cases and exit.")
    var list = false

    @Flag(
        help: "Run a few small cases with wide limits. The exit status is 1 if a limit is exceeded."
    )
    var short = false

    @Option(help: "The seed that varies the cells of the case regret.")
    var seed: UInt64?

    @Option(help: "The approximate time of a transfer in a cell of the case regret, in seconds.")
    var cellSeconds = 2.5

    @Option(
        help: ArgumentHelp(
            "Only the cells of the case regret whose title contains this text.",
            valueName: "text"
        )
    )
    var cells: String?

    @Option(help: ArgumentHelp("Write the results here as JSON.", valueName: "file"))
    var json: String?

    @Flag(inversion: .prefixedNo, help: "Write the results to benchmarks.json, .md and .svg.")
    var write = true

    @Option(help: ArgumentHelp("Create the scratch folder in this folder.", valueName: "folder"))
    var folder = "."

    @Option(help: ArgumentHelp("The pawl program to measure.", valueName: "path"))
    var pawl = "pawl"

    @Option(help: "Description of the measured pawl program, such as its revision.")
    var revision = "pawl"

    @Option(help: ArgumentHelp("The folder of these three files.", valueName: "folder"))
    var documents = "docs"

    func validate() throws {
        guard rounds ?? 1 >= 1 else { throw ValidationError("--rounds must be at least 1") }
        guard !short || cases.isEmpty else { throw ValidationError("--short runs its own cases") }
        let known = Catalogue.all.map(\.name)
        for name in cases where !known.contains(name) {
            throw ValidationError("no case \(name); cases: \(known.joined(separator: ", "))")
        }
    }

    func run() throws {
        guard !list else {
            for entry in Catalogue.all { print("\(entry.name): \(entry.title)") }
            return
        }
        Interruption.watch()
        let workshop = try Workshop(settings())
        defer { workshop.close() }
        let reports: [CaseReport]
        do {
            reports = try runCases(in: workshop)
        } catch is Interrupted {
            Progress.clear()
            print("interrupted")
            throw ExitCode(130)
        }
        if let json { try ReportStore.write(reports, to: json) }
        let missed = reports.flatMap(\.goals).filter { !$0.isReached }
        if short, !missed.isEmpty { throw ExitCode.failure }
    }

    private func runCases(in workshop: Workshop) throws -> [CaseReport] {
        let chosen = Catalogue.all.filter {
            cases.isEmpty ? $0.runsByDefault : cases.contains($0.name)
        }
        let store = write && !short ? try ReportStore(folder: documents, workshop) : nil
        return try (short ? Catalogue.short : chosen).map { entry in
            var report = try entry.run(in: workshop)
            report.date = Moment.today
            report.pawl = revision
            print(TerminalReport.text(report))
            fflush(nil)
            // Each report is written immediately, so that an interruption loses no finished report.
            try store?.add(report)
            return report
        }
    }

    private func settings() throws -> BenchSettings {
        let own = try Files.ownFolder()
        return BenchSettings(
            pawl: pawl,
            launcher: own + "/Launch",
            shaper: own + "/Shaper",
            folder: folder,
            rounds: rounds ?? (short ? 3 : 5),
            syncs: !short,
            seed: seed,
            cellSeconds: cellSeconds,
            cells: cells
        )
    }
}
