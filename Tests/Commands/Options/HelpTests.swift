import PawlCLI
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HelpTests {
    @Test func `the help of every command is as recorded`() throws {
        let texts =
            [("pawl --help", HelpText.overview(columns: 80))]
            + HelpText.all(columns: 80).map { ($0.command, $0.text) }
        let text = texts.map { "$ \($0.0)\n\($0.1)\n" }.joined(separator: "\n")
        try Snapshot.expect(text, matches: "help.txt")
    }

    @Test func `the overview lists every command`() throws {
        let overview = HelpText.overview(columns: 80)
        let words = HelpText.all(columns: 80).map { $0.command.split(separator: " ") }
        let verbs = words.filter { $0.count == 3 }.map { $0[1] }
        #expect(verbs.count > 15)
        for verb in verbs {
            #expect(overview.contains("\n  \(verb) "), "\(verb)")
        }
    }

    @Test(arguments: [60, 80, 120])
    func `no line is wider than the terminal`(columns: Int) {
        let texts =
            [HelpText.overview(columns: columns)] + HelpText.all(columns: columns).map(\.text)
        // The parser wraps neither the synopsis nor the reference to the subcommands.
        let lines = texts.flatMap { $0.split(separator: "\n") }.filter {
            !$0.hasPrefix("USAGE:") && !$0.hasPrefix("  See 'pawl help ")
        }
        #expect(lines.filter { $0.count > columns }.isEmpty)
    }

    @Test func `the width is that of COLUMNS or the terminal, and never too small to wrap`() {
        #expect(HelpText.columns("100", terminal: 80) == 100)
        #expect(HelpText.columns(nil, terminal: 120) == 120)
        #expect(HelpText.columns(nil, terminal: nil) == 80)
        for variable in ["", "0", "-5", "wide"] {
            #expect(HelpText.columns(variable, terminal: 60) == 60)
        }
        for columns in [1, 20, 26, 39] {
            #expect(HelpText.columns("\(columns)", terminal: 80) == HelpText.minimumColumns)
            #expect(HelpText.columns(nil, terminal: columns) == HelpText.minimumColumns)
        }
    }

    @Test func `every help can be wrapped to the minimum width`() {
        let texts = HelpText.all(columns: HelpText.minimumColumns).map(\.text)
        #expect(texts.allSatisfy { $0.contains("USAGE: ") })
    }

    @Test func `the overview and the help of get name every option of a list`() {
        let get = HelpText.all(columns: 80).first { $0.command == "pawl get --help" }?.text ?? ""
        for name in DownloadOptions.names {
            #expect(HelpText.overview(columns: 80).contains("--\(name)"))
            #expect(get.contains("--\(name)"))
        }
    }
}
