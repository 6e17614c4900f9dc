import PawlCore
import Testing

/// How commands of hooks are written.
@Suite(.timeLimit(.minutes(5)))
struct HookCommandTests {
    @Test(arguments: [
        ("notify-send done", ["notify-send", "done"]),
        ("  /bin/a   b\tc  ", ["/bin/a", "b", "c"]),
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        (#"a "\"q\" \\ \x" '\'"#, ["a", #""q" \ \x"#, #"\"#]),
        (#"a b\ c '' """#, ["a", "b c", "", ""]),
        ("a $HOME *; rm -rf /", ["a", "$HOME", "*;", "rm", "-rf", "/"]),
        ("a b'c'\"d\"e", ["a", "bcde"]),
    ])
    func `a text is split like that of a shell, and nothing is replaced`(
        text: String,
        words: [String]
    ) throws {
        let command = try HookCommand(parsing: text)
        #expect(command.words == words)
        #expect(try HookCommand(parsing: command.text) == command)
    }

    @Test func `none runs nothing`() throws {
        #expect(try HookCommand(parsing: "none") == .none)
        #expect(HookCommand.none.text == "none")
        #expect(try HookCommand(["none", "a"]).text == "none a")
    }

    @Test(arguments: ["", "  ", "a 'b", "a \"b", "a \\", "./a", "bin/a", "'' a", "a\u{0}"])
    func `a text that names no program is refused`(text: String) {
        #expect(throws: ValueError.self) { try HookCommand(parsing: text) }
    }

    @Test func `a command has a maximum length`() {
        #expect(throws: ValueError.self) {
            try HookCommand(["a"] + Array(repeating: "b", count: 1000))
        }
        #expect(throws: ValueError.self) {
            try HookCommand(["a", String(repeating: "b", count: 64 << 10)])
        }
    }

    @Test func `a download's own hooks come before those of the daemon`() throws {
        var (own, general) = (DownloadHooks(), DownloadHooks())
        general.onStart = try HookCommand(["start"])
        general.onComplete = try HookCommand(["complete"])
        general.onError = try HookCommand(["error"])
        own.onComplete = try HookCommand(["own"])
        own.onError = HookCommand.none
        let hooks = own.over(general)
        #expect(hooks.command(for: .start)?.words == ["start"])
        #expect(hooks.command(for: .complete)?.words == ["own"])
        #expect(hooks.command(for: .error) == nil)
    }
}
