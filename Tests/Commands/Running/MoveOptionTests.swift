import Glibc
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
        let rules = [
            "--move", "name=*.zip -> /nowhere",
            "--move", "type=*, host=127.*, name=disk.*, size<1M -> \(images)",
        ]
        let run = try await workshop.run(
            [workshop.url, "--on-complete", notes.command("end")] + rules
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.output == "\(images)/disk.iso\n")
        #expect(try workshop.folder.read("images/disk.iso") == file.bytes())
        #expect(!workshop.folder.exists(Workshop.name))
        #expect(try await notes.read("end").facts.path == "\(images)/disk.iso")
    }

    /// The sizes of a file that is compared in memory, and of one that is not.
    private static let sizes: [Int64] = [100_000, 12 << 20]

    @Test(arguments: sizes, [true, false])
    func `the same command finds the file that it has moved`(
        size: Int64,
        hasValidators: Bool
    ) async throws {
        var resource = Resource(size: size)
        if !hasValidators { (resource.entityTag, resource.lastModified) = (nil, nil) }
        let workshop = try Workshop(resource)
        let images = workshop.folder.path("images")
        let command = [
            workshop.url, "--move", "name=*.zip -> /nowhere",
            "--move", "type=*, host=127.*, name=disk.*, size>10K -> \(images)",
        ]
        let run = try await workshop.run(command)
        #expect(run.output == "\(images)/disk.iso\n", "\(run.errors)")
        for _ in 0..<2 {
            let again = try await workshop.run(command)
            #expect(again.status == .code(0))
            #expect(again.output == run.output)
            #expect(again.errors.contains("already exists"), "\(again.errors)")
            #expect(workshop.folder.list() == ["images"])
            #expect(workshop.folder.list("images") == ["disk.iso"])
        }
        let failed = try await workshop.run(command + ["--if-exists", "fail"])
        #expect(failed.status == .code(ErrorCode.fileExists.exitStatus))
        #expect(failed.errors.contains("\(images)/disk.iso already exists"), "\(failed.errors)")
    }

    @Test func `a moved file is found under a name with a number, and moved no further`()
        async throws
    {
        let workshop = try Workshop(file)
        let images = try workshop.folder.makeFolder("images")
        try workshop.folder.write("images/disk.iso", "mine")
        let command = [
            workshop.url, "--move", "name=disk.iso -> \(images)",
            "--move", "name=* -> \(workshop.folder.path("others"))",
        ]
        for _ in 0..<2 {
            let run = try await workshop.run(command)
            #expect(run.output == "\(images)/disk.1.iso\n", "\(run.errors)")
            #expect(workshop.folder.list() == ["images"])
        }
        // Another file has the first name, so that a new one would get a number.
        try workshop.folder.write(Workshop.name, "mine, too")
        let run = try await workshop.run(command)
        #expect(run.output == "\(images)/disk.1.iso\n", "\(run.errors)")
        #expect(workshop.folder.list() == [Workshop.name, "images"])
    }

    @Test func `two commands at once leave one file`() async throws {
        let resource = Resource(size: 12 << 20)
        let (first, second) = (Latch(), Latch())
        let workshop = try Workshop()
        workshop.serve(
            .each { exchange in
                .resource(resource)
                    .holdAfterBytes(10 << 20, until: exchange.ordinal == 1 ? first : second)
            }
        )
        let images = workshop.folder.path("images")
        let command = [workshop.url, "-x", "1", "--move", "name=* -> \(images)"]
        let one = try workshop.start(arguments: command)
        await first.waitForArrivals(1)
        // In one folder, the second command would be refused.
        let other = try workshop.start(arguments: command + ["-d", workshop.folder.path("other")])
        await second.waitForArrivals(1)
        first.release()
        #expect(await one.waitForExit() == .code(0), "\(one.errors)")
        #expect(one.output == "\(images)/disk.iso\n")
        second.release()
        #expect(await other.waitForExit() == .code(0), "\(other.errors)")
        #expect(other.output == one.output)
        #expect(workshop.folder.list() == ["images", "other"])
        #expect(workshop.folder.list("images") == ["disk.iso"])
        #expect(workshop.folder.list("other").isEmpty)
        #expect(try resource.verify(fileAt: "\(images)/disk.iso") == nil)
    }

    @Test func `a file that another command has just moved is found there`() async throws {
        let workshop = try Workshop(file)
        let images = workshop.folder.path("images")
        let command = [workshop.url, "--move", "name=* -> \(images)"]
        let call = try HeldCall()
        // Only a move calls this for a file that has its name.
        var plan = FaultPlan(call.action, at: 1, of: [.fsync])
        plan.path = Workshop.name
        let faults = plan.environment(library: try await FaultShim.library())
        let one = try workshop.start(arguments: command, ProcessSettings(environment: faults))
        // The file has its name, and is about to be moved.
        let holder = try await call.reached()
        #expect(workshop.folder.exists(Workshop.name))
        let other = try await workshop.run(command)
        #expect(other.status == .code(0), "\(other.errors)")
        #expect(other.output == "\(images)/disk.iso\n")
        holder.signal(SIGKILL)
        #expect(await one.waitForExit() == .code(0), "\(one.errors)")
        #expect(one.output == other.output)
        #expect(workshop.folder.list() == ["images"])
        #expect(workshop.folder.list("images") == ["disk.iso"])
    }

    @Test func `a moved file that was changed, here or there, is fetched again`() async throws {
        let workshop = try Workshop(file)
        let images = workshop.folder.path("images")
        let command = [workshop.url, "--move", "name=* -> \(images)"]
        let run = try await workshop.run(command)
        #expect(run.output == "\(images)/disk.iso\n", "\(run.errors)")
        let newer = Resource(size: file.size, seed: 2)
        workshop.serve(.resource(newer))
        let second = try await workshop.run(command)
        #expect(second.output == "\(images)/disk.1.iso\n", "\(second.errors)")
        #expect(try workshop.folder.read("images/disk.iso") == file.bytes())
        #expect(try workshop.folder.read("images/disk.1.iso") == newer.bytes())
        try workshop.folder.write("images/disk.1.iso", file.bytes())
        let third = try await workshop.run(command)
        #expect(third.output == "\(images)/disk.2.iso\n", "\(third.errors)")
        #expect(try workshop.folder.read("images/disk.2.iso") == newer.bytes())
        #expect(workshop.folder.list() == ["images"])
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
