import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct HelpVersionTests {
    @Test func `version prints only the version`() async throws {
        let run = try await Workshop().run("--version")
        #expect(run.status == .code(0))
        #expect(run.output == "pawl \(PawlVersion.current)\n")
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func `help lists all commands and the options of get, on standard output`(
        arguments: [String]
    ) async throws {
        let run = try await Workshop().run(arguments)
        #expect(run.status == .code(0))
        #expect(run.output.contains("QUEUE SUBCOMMANDS:\n  add "))
        expectOptionsOfGet(run)
    }

    @Test func `help of get describes its options, on standard output`() async throws {
        let run = try await Workshop().run("get", "--help")
        #expect(run.status == .code(0))
        expectOptionsOfGet(run)
    }

    /// `scripts/pawl` builds the daemon only for these.
    @Test func `scripts pawl knows the verbs that need the daemon`() async throws {
        let help = try await Workshop().run("--help").output
        let groups =
            help.split(separator: "QUEUE SUBCOMMANDS:").last?
            .split(separator: "See 'pawl help").first ?? ""
        let verbs = groups.split(separator: "\n").compactMap { line -> Substring? in
            guard line.hasPrefix("  "), !line.hasPrefix("   ") else { return nil }
            return line.split(separator: " ").first
        }
        let script = try Snapshot.text(of: "pawl", folder: "../../../scripts")
        let cases = script.split(separator: "case ${1-} in\n").last?.split(separator: ")").first
        let known = (cases ?? "").split(separator: "|").map { $0.filter { !$0.isWhitespace } }
        #expect(known == verbs.map(String.init) && known.count > 10)
    }

    private func expectOptionsOfGet(_ run: FinishedProcess) {
        #expect(run.output.contains("pawl [get] [<options>] <url> ..."))
        for option in ["-o, --output", "--if-exists", "--total-limit", "--no-resume"] {
            #expect(run.output.contains(option))
        }
        #expect(run.errors.isEmpty)
    }

    @Test func `help of inspect describes inspect`() async throws {
        let run = try await Workshop().run("inspect", "--help")
        #expect(run.status == .code(0))
        #expect(run.output.contains("pawl inspect [<options>] <url | file.part>"))
    }

    @Test(arguments: [["--help"], ["help", "add"], ["get", "--help"], ["daemon"]])
    func `help is printed on a terminal of any width`(arguments: [String]) async throws {
        let workshop = try Workshop()
        for columns in ["0", "-5", "1", "26"] {
            let settings = ProcessSettings(environment: ["COLUMNS": columns])
            let run = try await workshop.run(arguments, settings)
            #expect(run.status == .code(0), "COLUMNS=\(columns): \(run.errors)")
            #expect(run.output.contains("USAGE: "))
        }
        let terminal = TerminalSize(columns: 20)
        let settings = ProcessSettings(environment: ["COLUMNS": nil], terminal: terminal)
        let run = try await workshop.run(arguments, settings)
        #expect(run.status == .code(0))
        #expect(run.output.contains("USAGE: "))
    }

    @Test func `help of the daemon's program is printed on a terminal of any width`() async throws {
        let workshop = try Workshop()
        let run = try await ProcessRunner.run(
            BuiltProduct.path("pawld"),
            ["--help"],
            workshop.complete(ProcessSettings(environment: ["COLUMNS": "1"]))
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.output.contains("USAGE: "))
    }

    @Test func `without arguments the error refers to the help`() async throws {
        let run = try await Workshop().run()
        expectFailure(.usage, run)
        #expect(run.errors.contains("--help"))
    }
}
