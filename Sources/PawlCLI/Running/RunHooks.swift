internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlHooks
internal import PawlWire

/// Does what the hooks of the command's own downloads ask for.
struct RunHooks: Sendable {
    private let delivery: HookDelivery
    private let console: Console
    private let policy = WebhookPolicy.brief
    private let slots = HookSlots(count: HookDelivery.mostAtOnce)

    init(session: DownloadSession, _ console: Console) {
        delivery = HookDelivery(session: session)
        self.console = console
    }

    /// Runs the program for the start of a download when its server has responded.
    func watch(_ task: DownloadTask, of requested: RequestedDownload) async {
        let hooks = requested.settings.hooks
        guard hooks.command(for: .start) != nil else { return }
        for await event in task.events {
            guard case .response = event else { continue }
            return await run(hooks, facts(.start, task, of: requested))
        }
    }

    /// Does the jobs for the end of a download.
    func ended(
        _ result: Result<DownloadedFile, DownloadError>,
        _ task: DownloadTask,
        of requested: RequestedDownload
    ) async {
        let hooks = requested.settings.hooks
        guard !hooks.isEmpty else { return }
        switch result {
        case .success(let file):
            var facts = facts(.complete, task, of: requested)
            if !requested.isForStandardOutput { facts.path = file.path }
            (facts.completedBytes, facts.totalBytes) = (file.byteCount, file.byteCount)
            await run(hooks, facts)
        case .failure(let error):
            var facts = facts(.error, task, of: requested)
            facts.problem = Problem(error)
            await run(hooks, facts)
        }
    }

    private func facts(
        _ event: HookEvent,
        _ task: DownloadTask,
        of requested: RequestedDownload
    ) -> HookFacts {
        let progress = task.currentProgress
        let name = progress.name.isEmpty ? requested.workingName : progress.name
        var facts = HookFacts(event, name: name, url: requested.url.redacted, at: Date())
        (facts.completedBytes, facts.totalBytes) = (progress.completedBytes, progress.totalBytes)
        return facts
    }

    private func run(_ hooks: DownloadHooks, _ facts: HookFacts) async {
        var folder: String?
        for var job in HookJob.jobs(hooks, facts) {
            job.facts.folder = folder
            folder = await run(job) ?? folder
        }
    }

    /// Returns the folder into which the job has unpacked the file.
    private func run(_ job: HookJob) async -> String? {
        var failures = 0
        while !Task.isCancelled {
            switch await slots.run({ await attempt(job) }) {
            // The loop checks for cancellation.
            case nil: continue
            case .success(let outcome)?: return outcome.folder
            case .failure(let error)?:
                failures += 1
                guard let wait = policy.wait(after: error, failures: failures) else {
                    console.message("\(job.name) failed: \(error.text(for: .command))")
                    return nil
                }
                // The loop checks for cancellation.
                try? await Task.sleep(for: wait)
            }
        }
        return nil
    }

    /// Does the job once, and prints what its program has printed.
    private func attempt(_ job: HookJob) async -> Result<HookDelivery.Outcome, DownloadError> {
        let output = HookOutput(folder: Console.temporaryFolder)
        do throws(DownloadError) {
            let outcome = try await delivery.run(job, output: output.descriptor)
            for line in output.lines { console.message(line) }
            if let end = outcome.end, !end.isSuccess { console.message("\(job.name) \(end.text)") }
            return .success(outcome)
        } catch {
            return .failure(error)
        }
    }
}
