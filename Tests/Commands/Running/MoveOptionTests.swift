import PawlCore
import PawlTesting
import PawlWire
import Testing

/// Rules that move the finished files of the command.
@Suite(.timeLimit(.minutes(5)))
struct MoveOptionTests {
    private let file = Resource(size: 100_000)

    @Test func `a finished file is moved, and its new path is printed`() async throws {
        let workshop = try Workshop(file)
        let notes = try HookNotes(in: workshop.folder)
        let images = workshop.folder.path("images")
        let run = try await workshop.run(
            workshop.url,
            "--move",
            "name=*.zip -> /nowhere",
            "--move",
            "type=*, name=disk.*, size<1M -> \(images)",
            "--on-complete",
            notes.command("end")
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.output == "\(images)/disk.iso\n")
        #expect(try workshop.folder.read("images/disk.iso") == file.bytes())
        #expect(!workshop.folder.exists(Workshop.name))
        #expect(try await notes.read("end").facts.path == "\(images)/disk.iso")
        // The same command cannot know where the file is now, and replaces nothing.
        let second = try await workshop.run(workshop.url, "--move", "name=* -> \(images)")
        #expect(second.status == .code(0))
        #expect(second.output != run.output)
        #expect(try workshop.folder.read("images/disk.iso") == file.bytes())
    }

    @Test func `the config file has rules, and the home folder may be short`() async throws {
        let workshop = try Workshop(file)
        let path = try workshop.folder.write(
            "config.toml",
            "[defaults]\n" + #"move = ["name=*.iso -> ~/images"]"# + "\n"
        )
        var settings = ProcessSettings()
        settings.environment["HOME"] = workshop.folder.path
        let run = try await workshop.run([workshop.url, "--config", path], settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("images/disk.iso") == file.bytes())
    }

    @Test func `standard output and a file that was there are not moved`() async throws {
        let workshop = try Workshop(file)
        let rule = "name=* -> \(workshop.folder.path("images"))"
        let output = try await workshop.run(workshop.url, "-o", "-", "--move", rule)
        #expect(output.status == .code(0), "\(output.errors)")
        try workshop.folder.write(Workshop.name, "mine")
        let skipped = try await workshop.run(
            workshop.url,
            "--if-exists",
            "skip",
            "--move",
            rule
        )
        #expect(skipped.status == .code(0))
        #expect(skipped.errors.contains("is not moved"), "\(skipped.errors)")
        #expect(workshop.folder.list() == [Workshop.name])
    }

    @Test func `a file that cannot be moved is an error and stays`() async throws {
        let workshop = try Workshop(file)
        try workshop.folder.write("blocked", "a file")
        let run = try await workshop.run(
            workshop.url,
            "--move",
            "name=* -> \(workshop.folder.path("blocked"))/sub"
        )
        #expect(run.status != .code(0))
        #expect(run.errors.contains("the file is still at"))
        #expect(try workshop.folder.read(Workshop.name) == file.bytes())
        // The next run moves the file, and does not fetch it again.
        let images = workshop.folder.path("images")
        let again = try await workshop.run(workshop.url, "--move", "name=* -> \(images)")
        #expect(again.status == .code(0), "\(again.errors)")
        #expect(again.output == "\(images)/disk.iso\n")
        #expect(try workshop.folder.read("images/disk.iso") == file.bytes())
        #expect(workshop.folder.list() == ["blocked", "images"])
    }

    @Test(arguments: ["name=*.iso", "name=*.iso -> images", "size=3 -> /a", ""])
    func `an invalid rule is a usage error`(rule: String) async throws {
        let workshop = try Workshop(file)
        let run = try await workshop.run(workshop.url, "--move", rule)
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains("--move"))
        #expect(workshop.origin.requests.isEmpty)
    }
}
