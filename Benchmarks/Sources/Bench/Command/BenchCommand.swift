internal import ArgumentParser
internal import Glibc

@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Compare pawl with curl, wget2, aria2 and axel."
    )

    @Argument(help: "The cases to run. Default: all.")
    var cases: [String] = []

    @Option(help: "Run each program so many times; the least counts. Default: 5, in short 3.")
    var rounds: Int?

    @Flag(help: "Print the names of the cases and end.")
    var list = false

    @Flag(help: "A few small cases with wide limits; exit status 1 if one is broken.")
    var short = false

    @Option(help: ArgumentHelp("Write the results here as JSON.", valueName: "file"))
    var json: String?

    @Flag(inversion: .prefixedNo, help: "Write the results into the documents.")
    var write = true

    @Option(help: ArgumentHelp("Work below this folder.", valueName: "folder"))
    var folder = "."

    @Option(help: ArgumentHelp("The pawl to measure.", valueName: "path"))
    var pawl = "pawl"

    @Option(help: "What is said of the pawl to measure, such as its revision.")
    var revision = "pawl"

    @Option(help: ArgumentHelp("The documents' folder.", valueName: "folder"))
    var documents = "docs"

    func validate() throws {
        guard rounds ?? 1 >= 1 else { throw ValidationError("--rounds must be at least 1") }
        guard !short || cases.isEmpty else { throw ValidationError("--short has cases of its own") }
        let known = Catalogue.all.map(\.name)
        for name in cases where !known.contains(name) {
            throw ValidationError("no case \(name); there are: \(known.joined(separator: ", "))")
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
        do {
            try finish(runCases(in: workshop), workshop)
        } catch is Interrupted {
            Progress.clear()
            print("interrupted")
            throw ExitCode(130)
        }
    }

    private func runCases(in workshop: Workshop) throws -> [CaseReport] {
        var reports: [CaseReport] = []
        let chosen = Catalogue.all.filter { cases.isEmpty || cases.contains($0.name) }
        for entry in short ? Catalogue.short : chosen {
            var report = try entry.run(in: workshop)
            report.date = Moment.today
            report.pawl = revision
            print(TerminalReport.text(report))
            fflush(nil)
            reports.append(report)
        }
        return reports
    }

    private func finish(_ reports: [CaseReport], _ workshop: Workshop) throws {
        if let json { try ReportStore.write(reports, to: json) }
        guard !short else {
            let missed = reports.flatMap(\.goals).filter { !$0.isReached }
            guard missed.isEmpty else { throw ExitCode.failure }
            return
        }
        guard write else { return }
        try ReportStore(folder: documents).add(
            reports,
            machine: .read(in: workshop),
            tools: ToolVersions.read(in: workshop)
        )
    }

    private func settings() throws -> BenchSettings {
        let own = try Files.ownFolder()
        return BenchSettings(
            pawl: pawl,
            launcher: own + "/Launch",
            shaper: own + "/Shaper",
            folder: folder,
            rounds: rounds ?? (short ? 3 : 5),
            syncs: !short
        )
    }
}
