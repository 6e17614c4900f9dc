import FoundationEssentials
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct ProgressOptionTests {
    private let resource = Resource(size: 2 << 20)

    /// Slow enough for several events.
    private func workshop() throws -> Workshop {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).rate(4 << 20))
        return workshop
    }

    @Test(arguments: [
        [], ["--progress", "auto"], ["--progress", "bar"], ["--progress", "plain"],
    ])
    func `in a pipe there are plain lines`(options: [String]) async throws {
        let workshop = try Workshop()
        let latch = Latch()
        workshop.serve(.resource(resource).holdAfterBytes(resource.size / 2, until: latch))
        let runner = try workshop.start(arguments: [workshop.url, "-x", "1"] + options)
        #expect(await runner.waitForOutput(containing: "disk.iso: 2.00 MiB"))
        latch.release()
        let run = await runner.finished()
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.output == "./disk.iso\n")
        // More if the machine was busy for seconds.
        #expect(run.errorLines.count >= 2)
        #expect(run.errorLines.first?.hasPrefix("disk.iso: 2.00 MiB") == true)
        #expect(run.errorLines.last?.contains("disk.iso: 2.00 MiB in ") == true)
        #expect(!run.errors.utf8.contains { $0 < 0x20 && $0 != 0x0A })
    }

    @Test func `plain is plain on a terminal too`() async throws {
        let workshop = try workshop()
        let settings = ProcessSettings(terminal: TerminalSize())
        let run = try await workshop.run(
            workshop.url,
            "--progress",
            "plain",
            settings: settings
        )
        #expect(run.status == .code(0))
        #expect(!run.output.contains("\u{1B}[?25l"))
    }

    @Test func `none prints only the result`() async throws {
        let workshop = try workshop()
        let run = try await workshop.run(workshop.url, "--progress", "none")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.output == "./disk.iso\n")
        #expect(run.errorLines.count <= 1)
    }

    @Test(arguments: ["-q", "--quiet"])
    func `quiet prints no message`(option: String) async throws {
        let workshop = try workshop()
        let run = try await workshop.run(workshop.url, option)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.errors.isEmpty)
    }

    @Test func `quiet prints errors`() async throws {
        let workshop = try workshop()
        let run = try await workshop.run(workshop.origin.url("/nothing"), "-q")
        expectFailure(.notFound, run)
    }

    @Test(arguments: ["-v", "--verbose"])
    func `verbose prints what is done`(option: String) async throws {
        let workshop = try workshop()
        let run = try await workshop.run(workshop.url, option)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.errors.contains("200"))
        #expect(run.errorLines.count > 3)
    }

    private struct Event: Decodable {
        var event: String
        var id: Int
        var url: String
        var name: String
        var completed: Int64?
        var total: Int64?
        var path: String?
        var bytes: Int64?
        var code: String?
        var exit: Int32?
    }

    private func events(_ text: String) throws -> [Event] {
        try text.split(separator: "\n").map {
            try JSONDecoder().decode(Event.self, from: Data($0.utf8))
        }
    }

    @Test func `json prints one object per line`() async throws {
        let workshop = try Workshop()
        let latch = Latch()
        workshop.serve(.resource(resource).holdAfterBytes(resource.size / 2, until: latch))
        let run = try workshop.start(
            workshop.url,
            workshop.origin.url("/nothing?token=s3cret"),
            "-x",
            "1",
            "--progress",
            "json"
        )
        // The speed falls while nothing is received, so there is a second event in any case.
        let isShown = await run.waitForOutput(containing: #""event":"progress","id":1,"#, count: 2)
        #expect(isShown)
        latch.release()
        #expect(await run.waitForExit() == .code(ErrorCode.notFound.exitStatus))
        let events = try events(run.output)
        let progress = events.filter { $0.event == "progress" && $0.id == 1 }
        #expect(progress.count >= 2)
        let counts = progress.compactMap(\.completed)
        #expect(counts == counts.sorted())
        #expect(progress.contains { $0.total == resource.size })
        let finished = try #require(events.first { $0.event == "finished" })
        #expect(finished.id == 1)
        #expect(finished.name == Workshop.name)
        #expect(finished.bytes == resource.size)
        #expect(finished.path?.hasSuffix("disk.iso") == true)
        let failed = try #require(events.first { $0.event == "failed" })
        #expect(failed.id == 2)
        #expect(failed.code == "not-found")
        #expect(failed.exit == ErrorCode.notFound.exitStatus)
        #expect(!(run.output + run.errors).contains("s3cret"))
        #expect(run.errors.split(separator: "\n").count == 1)
    }
}
