import struct FoundationEssentials.URL
import PawlCore
import PawlTesting
import Testing

/// The engine against servers that fail in all kinds of ways, interrupted and restarted at random,
/// with an accelerated clock.
///
/// `scripts/lab chaos` runs any number of seeds.
@Suite(.timeLimit(.minutes(ChaosCampaign.minutes)))
struct ChaosEngineTests {
    private static let haste = 8

    @Test func `whatever a server does, the engine delivers one version or no file`() async throws {
        let campaign = ChaosCampaign("chaos, the engine", haste: Self.haste, width: 8)
        for failure in try await campaign.run(count: 150, EngineClient()) {
            Issue.record("\(failure)")
        }
    }
}

/// A client with a new engine for each run, as in another process.
private struct EngineClient: ChaosClient {
    func run(_ job: ChaosJob) async throws -> ChaosEnd {
        let scenario = job.scenario
        let process = EngineProcess(time: HurriedTimekeeper(factor: scenario.haste))
        var settings = DownloadSettings()
        settings.connections = scenario.connections.map { .fixed($0) } ?? .automatic
        settings.retries = scenario.retries
        settings.stallTimeout = scenario.stallTimeout
        if let checksum = scenario.checksum { settings.checksum = .digest(checksum) }
        let url = try #require(URL(string: job.url))
        let destination = Destination.file(job.folder.path(job.name))
        let download = process.start(url, to: destination, settings)
        job.trigger.whenPulled { download.cancel() }
        do throws(DownloadError) {
            _ = try await download.file()
            return ChaosEnd(.finished, log: process.log.text)
        } catch {
            return ChaosEnd(outcome(error, job), log: "\(process.log.text)\n\(error)")
        }
    }

    private func outcome(_ error: DownloadError, _ job: ChaosJob) -> ChaosEnd.Outcome {
        job.trigger.isPulled && error.code == .interrupted ? .killed : .failed(error.code)
    }
}
