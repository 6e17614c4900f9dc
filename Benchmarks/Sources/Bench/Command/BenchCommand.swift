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

    @Option(help: "Run each program so many times; the least counts.")
    var rounds = 5

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

    @Option(help: ArgumentHelp("The documents' folder.", valueName: "folder"))
    var documents = "docs"

    func validate() throws {
        guard rounds >= 1 else { throw ValidationError("--rounds must be at least 1") }
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
            let chosen = Catalogue.all.filter { cases.isEmpty || cases.contains($0.name) }
            var reports: [CaseReport] = []
            for entry in chosen {
                let report = try entry.run(in: workshop)
                print(TerminalReport.text(report))
                reports.append(report)
            }
        } catch is Interrupted {
            workshop.close()
            print("interrupted")
            throw ExitCode(130)
        }
    }

    private func settings() throws -> BenchSettings {
        let own = try Files.ownFolder()
        return BenchSettings(
            pawl: pawl,
            launcher: own + "/Launch",
            shaper: own + "/Shaper",
            folder: folder,
            rounds: rounds
        )
    }
}
