import FoundationEssentials
import Glibc
import PawlCore
import PawlHooks
import PawlTesting
import Testing

/// Programs that hooks run.
@Suite(.timeLimit(.minutes(5)))
struct ProgramRunTests {
    @Test func `a program gets its input, even if it never reads it`() async throws {
        let folder = try ScratchFolder()
        var run = ProgramRun(["/bin/sh", "-c", "cat > '\(folder.path("copy"))'"])
        run.input = Array(repeating: 7, count: 1 << 20)
        #expect(await run.run().isSuccess)
        #expect(try folder.read("copy") == run.input)
        run.words = ["true"]
        #expect(await run.run().text == "ended with status 0")
        run.words = ["/bin/sh", "-c", "kill -9 $$"]
        #expect(await run.run().text == "was ended by signal 9")
    }

    @Test func `a program that takes too long is stopped with all that it has started`()
        async throws
    {
        let folder = try ScratchFolder()
        let (new, note) = (folder.path("new"), folder.path("child"))
        let script = "sleep 600 & echo $! > '\(new)'; mv '\(new)' '\(note)'; wait"
        var run = ProgramRun(["/bin/sh", "-c", script])
        // On a busy machine, the program may not come to its note within a second.
        for seconds in [1.0, 10.0, 60.0] where !folder.exists("child") {
            run.timeLimit = .seconds(seconds)
            let end = await run.run()
            #expect(!end.isSuccess)
            #expect(end.text.contains("more than \(seconds) seconds"))
        }
        let child = try #require(pid_t(folder.readText("child").filter(\.isNumber)))
        // The kernel ends it a moment after the signal.
        while isRunning(child), !Task.isCancelled { await Task.yield() }
        #expect(!isRunning(child))
    }

    private func isRunning(_ process: pid_t) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status.map { !$0.contains(") Z ") } ?? false
    }

    @Test func `a program that does not exist is an end, not a crash`() async {
        let end = await ProgramRun(["pawl-no-such-program"]).run()
        #expect(end.status == 1)
        #expect(end.text.contains("failed"))
        #expect(await !ProgramRun(["/nowhere/at/all"]).run().isSuccess)
    }

    @Test func `a webhook that may answer later is asked again, another is not`() {
        var busy = DownloadError(.serverBusy, "busy")
        busy.httpStatus = 503
        var refused = DownloadError(.unauthorized, "refused")
        refused.httpStatus = 403
        let policy = WebhookPolicy.patient
        #expect(policy.wait(after: busy, failures: 1) == .seconds(10))
        busy.retryAfter = .seconds(20)
        #expect(policy.wait(after: busy, failures: 1) == .seconds(20))
        #expect(policy.wait(after: busy, failures: 7) == .seconds(43_200))
        #expect(policy.wait(after: busy, failures: 8) == nil)
        #expect(policy.wait(after: refused, failures: 1) == nil)
        #expect(policy.wait(after: DownloadError(.network, "cut"), failures: 2) == .seconds(60))
    }
}
