import Glibc
import PawlCore
import PawlTesting
import Testing

/// The program against servers that misbehave in all kinds of ways, killed and run again at random.
///
/// Any number of seeds: `scripts/lab chaos`.
@Suite(.timeLimit(.minutes(ChaosCampaign.minutes)))
struct ChaosCommandTests {
    @Test func `whatever a server does, the program delivers one version or no file`() async throws
    {
        let campaign = ChaosCampaign("chaos, the program", width: 12)
        for failure in try await campaign.run(count: 150, CommandClient()) {
            Issue.record("\(failure)")
        }
    }
}

extension ChaosCommandTests {
    /// curl writes under the final name and resumes by the length alone.
    @Test func `a client that does not verify is detected`() async throws {
        let campaign = ChaosCampaign("chaos, a careless client", width: 8)
        let failures = try await campaign.run(seeds: Array(1...24), CarelessClient())
        #expect(failures.contains { $0.contains("is nothing that was served") })
        #expect(failures.contains { $0.contains("failed and left a file") })
    }
}

private struct CarelessClient: ChaosClient {
    func run(_ job: ChaosJob) async throws -> ChaosEnd {
        let runner = try ProcessRunner(
            "curl",
            ["-sSfL", "-C", "-", "--max-time", "5", "-o", job.name, job.url],
            ProcessSettings(environment: Workshop.plainEnvironment, folder: job.folder.path)
        )
        job.trigger.whenPulled { runner.signal(SIGKILL) }
        let status = await runner.waitForExit()
        let outcome: ChaosEnd.Outcome =
            switch status {
            case .code(0): .finished
            case .code: .failed(.network)
            case .signal: .killed
            }
        return ChaosEnd(outcome, log: runner.errors)
    }
}

/// The built program.
private struct CommandClient: ChaosClient {
    func run(_ job: ChaosJob) async throws -> ChaosEnd {
        let scenario = job.scenario
        var settings = ProcessSettings(folder: job.folder.path)
        settings.environment = Workshop.plainEnvironment
        var arguments = [
            job.url, "-o", job.name, "-v", "--progress", "none",
            "--connections", scenario.connections.map { "\($0)" } ?? "auto",
            "--retries", "\(scenario.retries)",
            "--stall-timeout", "\(scenario.stallTimeout.seconds)",
        ]
        if let checksum = scenario.checksum {
            arguments += ["--checksum", "sha256=\(checksum.hexadecimal)"]
        }
        let runner = try ProcessRunner(Workshop.program, arguments, settings)
        let signal = job.manner == .interrupt ? SIGINT : SIGKILL
        job.trigger.whenPulled { runner.signal(signal) }
        let status = await runner.waitForExit()
        return ChaosEnd(outcome(status, job), log: runner.errors)
    }

    private func outcome(_ status: PawlTesting.ExitStatus, _ job: ChaosJob) -> ChaosEnd.Outcome {
        switch status {
        case .code(0): return .finished
        case .signal(SIGKILL) where job.trigger.isPulled && job.manner == .kill: return .killed
        // The signal arrived before the program handled it.
        case .signal(SIGINT) where job.trigger.isPulled && job.manner == .interrupt:
            return .killed
        case .code(let number):
            guard let row = ErrorCode.table.first(where: { $0.exitStatus == number }) else {
                return .wrong("it ended with \(number), which the table of errors does not have")
            }
            return .failed(row.code)
        case .signal(let number): return .wrong("it ended by signal \(number)")
        }
    }
}
