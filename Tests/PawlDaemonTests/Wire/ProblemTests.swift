import PawlCore
import PawlWire
import Testing

/// The advice of problems between programs of different kinds and versions.
@Suite(.timeLimit(.minutes(5)))
struct ProblemTests {
    private let error = DownloadError(
        .fileExists,
        "it exists",
        advice: "choose \(.otherName), or \(set: .ifExists, to: "rename")"
    )

    @Test func `a problem has the words of the API, and its error those of each reader`() throws {
        let bytes = try WireJSON.encode(Problem(error))
        let read = try WireJSON.decode(Problem.self, from: bytes)
        #expect(read.advice == "choose another `destination`, or set `ifExists` to `rename`")
        #expect(
            read.error.text(for: .command)
                == "it exists; choose another name with --output, or use --if-exists rename"
        )
        #expect(read.error.advice == "choose another destination, or set `ifExists` to `.rename`")
    }

    @Test func `a problem has the server's status`() throws {
        var refused = error
        refused.httpStatus = 451
        let read = try WireJSON.decode(Problem.self, from: WireJSON.encode(Problem(refused)))
        #expect(read.error.httpStatus == 451)
        #expect(read.status == nil)
    }

    @Test(arguments: [nil, "choose {phrase later}"])
    func `a problem of another version has its own words`(template: String?) throws {
        var problem = Problem(error)
        (problem.advice, problem.adviceTemplate) = ("use --output", template)
        let read = try WireJSON.decode(Problem.self, from: WireJSON.encode(problem))
        #expect(read.error.advice == "use --output")
        #expect(read.error.text(for: .command) == "it exists; use --output")
    }

    @Test func `a template cannot write control characters to the terminal`() {
        var problem = Problem(error)
        problem.adviceTemplate = "a\u{1B}[2J {set if-exists b\u{1B}[2J}"
        #expect(!problem.error.text(for: .command).contains("\u{1B}"))
    }
}
