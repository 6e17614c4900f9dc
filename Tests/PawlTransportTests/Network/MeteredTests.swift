import Glibc
import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// Whether traffic is paid by volume, as NetworkManager reports.
@Suite(.timeLimit(.minutes(5)))
struct MeteredTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test(
        arguments: [
            (#"{"type":"v","data":[{"type":"u","data":1}]}"#, true),
            (#"{"type":"v","data":[{"type":"u","data":2}]}"#, false),
            (#"{"type":"u","data":3}"# + "\n", true), (#"{"type":"u","data":4}"#, false),
            (#"{"type":"u","data":0}"#, nil), (#"{"type":"u","data":14}"#, nil),
            ("(<uint32 3>,)\n", true), ("(<uint32 4>,)\n", false), ("(<uint32 0>,)\n", nil),
            ("yes\n", true), ("yes (guessed)\n", true), ("no\n", false), ("no (guessed)", false),
            ("unknown\n", nil), ("", nil), ("Call failed: no bus", nil),
        ] as [(String, Bool?)]
    )
    func `the output of every supported program is understood`(output: String, isMetered: Bool?) {
        #expect(MeteredAnswer.parse(Array(output.utf8)) == isMetered)
    }

    @Test func `output that is too long or invalid means unknown`() {
        let long = Array("yes".utf8) + [UInt8](repeating: 32, count: MeteredAnswer.limit)
        #expect(MeteredAnswer.parse(long) == nil)
        #expect(MeteredAnswer.parse([0xFF, 0xFE, 0x00]) == nil)
    }

    // MARK: - Asking

    /// Returns the command of a program that runs a script.
    private func program(_ script: String) throws -> MeteredProbe.Command {
        ["sh", try folder.write("script", script)]
    }

    /// The first paths that a monitor with these programs reports, `count` of them.
    private func answers(
        _ commands: [MeteredProbe.Command],
        count: Int = 1,
        interval: Duration = .seconds(30),
        then: @Sendable (Int) throws -> Void = { _ in }
    ) async throws -> [Bool?] {
        let monitor = NetlinkMonitor(commands: commands, meteredInterval: interval)
        let told = Observed<[Bool?]>([])
        let observation = monitor.observe(asksWhetherMetered: true) { path in
            told.update { if $0.last != .some(path.isMetered) { $0.append(path.isMetered) } }
        }
        for number in 1...count {
            await told.wait { $0.count >= number }
            try then(number)
        }
        observation.end()
        monitor.shutDown()
        return Array(told.value.prefix(count))
    }

    @Test func `the first program that exists is asked`() async throws {
        let said = folder.path("arguments")
        let program = try program("echo \"$@\" > \(said); echo '{\"data\":1}'")
        let commands = [["/nowhere/busctl"], program + ["a", "b"], ["echo", "(<uint32 2>,)"]]
        // A program that a busy machine does not run for three seconds has no answer.
        #expect(try await quietRound { try await answers(commands) == [true] })
        #expect(try folder.read("arguments") == Array("a b\n".utf8))
    }

    @Test func `output of a program that fails is ignored`() async throws {
        let failing = try program("echo '{\"data\":1}'; exit 1")
        #expect(try await answers([failing]) == [nil])
    }

    @Test func `without any program the answer is unknown`() async throws {
        #expect(try await answers([["/nowhere/busctl"]]) == [nil])
        #expect(try await answers([]) == [nil])
    }

    @Test func `a program that does not end is killed`() async throws {
        let endless = try program("echo '{\"data\":1}'; exec sleep 600")
        let clock = SystemTimekeeper()
        let begin = clock.now()
        #expect(try await answers([endless]) == [nil])
        #expect(clock.now() - begin < .seconds(200))
    }

    @Test func `a program that never stops printing is killed`() async throws {
        #expect(try await answers([["yes", "yes"]]) == [nil])
    }

    @Test func `a change is noticed`() async throws {
        let script = "echo \"{\\\"data\\\":$(cat \(folder.path("answer")))}\""
        let changing = try program(script)
        let folder = folder
        // A program that a busy machine does not run for three seconds has no answer.
        let isNoticed = try await quietRound {
            try folder.write("answer", "2")
            let seen = try await answers([changing], count: 2, interval: .milliseconds(50)) {
                // A rename, so that nobody reads a half-written file.
                if $0 == 1 { rename(try folder.write("next", "1"), folder.path("answer")) }
            }
            return seen == [false, true]
        }
        #expect(isNoticed)
    }

    @Test func `no program runs if no observer asks for the answer`() async throws {
        let asked = folder.path("asked")
        let program = try program("touch \(asked); echo '{\"data\":1}'")
        let monitor = NetlinkMonitor(commands: [program])
        let told = Observed<[NetworkPath]>([])
        let observation = monitor.observe(asksWhetherMetered: false) { path in
            told.update { $0.append(path) }
        }
        await told.wait { !$0.isEmpty }
        #expect(told.value.first?.isMetered == nil)
        observation.end()
        monitor.shutDown()
        #expect(!folder.exists("asked"))
    }
}
