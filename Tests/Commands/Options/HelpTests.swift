import PawlCLI
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HelpTests {
    @Test func `the help of get is as recorded`() throws {
        try Snapshot.expect(HelpText.get(columns: 80) + "\n", matches: "help-get.txt")
    }

    @Test func `the help of inspect is as recorded`() throws {
        try Snapshot.expect(HelpText.inspect(columns: 80) + "\n", matches: "help-inspect.txt")
    }

    @Test func `the help of the daemon's verbs is as recorded`() throws {
        try Snapshot.expect(HelpText.daemon(columns: 80) + "\n", matches: "help-daemon.txt")
    }

    @Test func `the help names every option of a list`() {
        let help = HelpText.get(columns: 80)
        for name in OrderSettings.names {
            #expect(help.contains("--\(name)"))
        }
    }
}
