internal import Logging
internal import PawlCore
internal import PawlHooks
internal import PawlWire
internal import Synchronization

/// Runs the command of a session when all its downloads have ended and no process is attached to
/// it.
final class Relauncher: Sendable {
    private let queue: DaemonQueue
    private let attachments: SessionAttachments
    /// The changes to the environment of the commands.
    private let environment: [String: String?]
    private let logger: Logger
    /// The sessions whose command runs.
    private let running = Mutex<Set<ExactText>>([])

    /// The time after a start in which processes can attach again before a command runs.
    private static let grace: Duration = .seconds(3)

    init(
        queue: DaemonQueue,
        attachments: SessionAttachments,
        environment: [String: String?],
        logger: Logger
    ) {
        self.queue = queue
        self.attachments = attachments
        (self.environment, self.logger) = (environment, logger)
    }

    /// Checks each time a process detaches or downloads end, until the task is cancelled.
    ///
    /// Commands that run then are stopped.
    func run() async {
        // Processes that were attached before the start come first.
        guard (try? await Task.sleep(for: Self.grace)) != nil else { return }
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for relaunch in await due() {
                    group.addTask { await self.launch(relaunch) }
                }
                await attachments.detached.wait()
            }
            group.cancelAll()
        }
    }

    private func due() async -> [SessionTable.Relaunch] {
        do throws(DownloadError) {
            return try await queue.relaunches().filter { relaunch in
                !attachments.isTaken(relaunch.session)
                    && running.withLock { $0.insert(ExactText(relaunch.session)).inserted }
            }
        } catch {
            logger.error("the commands of sessions cannot be read: \(error)")
            return []
        }
    }

    private func launch(_ relaunch: SessionTable.Relaunch) async {
        let (session, program) = (relaunch.session.sanitized, relaunch.command[0].sanitized)
        logger.notice("session '\(session)': all downloads have ended, running \(program)")
        var run = ProgramRun(relaunch.command)
        run.environment = environment
        run.environment["PAWL_SESSION"] = .some(relaunch.session)
        let end = await run.run()
        logger.notice("session '\(session)': \(program) \(end.text)")
        defer {
            running.withLock { _ = $0.remove(ExactText(relaunch.session)) }
            // More downloads may have ended meanwhile.
            attachments.detached.send()
        }
        // A command that was stopped with the daemon runs again at the next start.
        guard !Task.isCancelled else { return }
        do throws(DownloadError) {
            try await queue.relaunched(relaunch)
        } catch {
            logger.error("session '\(session)': the run of its command was not recorded: \(error)")
        }
    }
}
