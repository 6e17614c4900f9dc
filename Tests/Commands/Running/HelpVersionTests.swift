import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(1)), .serialized)
struct HelpVersionTests {
    @Test func `version says the version and nothing else`() async throws {
        let run = try await Workshop().run("--version")
        #expect(run.status == .code(0))
        #expect(run.output == "pawl \(PawlVersion.current)\n")
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: [["--help"], ["-h"], ["get", "--help"], ["help"]])
    func `help is that of get, on standard output`(arguments: [String]) async throws {
        let run = try await Workshop().run(arguments)
        #expect(run.status == .code(0))
        #expect(run.output.contains("pawl [get] [options] <url> ..."))
        for option in ["-o, --output", "--if-exists", "--limit-rate", "--no-resume"] {
            #expect(run.output.contains(option))
        }
        #expect(run.errors.isEmpty)
    }

    @Test func `help of inspect is its own`() async throws {
        let run = try await Workshop().run("inspect", "--help")
        #expect(run.status == .code(0))
        #expect(run.output.contains("pawl inspect [options] <url | file.part>"))
    }

    @Test func `without anything it says what to do`() async throws {
        let run = try await Workshop().run()
        expectFailure(.usage, run)
        #expect(run.errors.contains("--help"))
    }
}
