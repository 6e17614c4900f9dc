internal import Glibc
internal import Logging
internal import PawlCore
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// Runs the command of a session when all its downloads have ended and no process is attached to
/// it.
final class Relauncher: Sendable {
    private let queue: DaemonQueue
    private let attachments: SessionAttachments
    private let logger: Logger
    /// The sessions whose command runs.
    private let running = Mutex<Set<ExactText>>([])

    /// The time after a start in which processes can attach again before a command runs.
    private static let grace: Duration = .seconds(3)
    /// The maximum time that a command may take.
    private static let timeLimit: Duration = .seconds(600)
    /// The time that a stopped command has to end.
    private static let timeout: Duration = .seconds(1)

    init(queue: DaemonQueue, attachments: SessionAttachments, logger: Logger) {
        self.queue = queue
        self.attachments = attachments
        self.logger = logger
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
        let end = await withTaskGroup(of: String?.self) { group in
            group.addTask { await Self.end(of: relaunch) }
            group.addTask {
                // The sleep is cancelled when the command has ended.
                try? await Task.sleep(for: Self.timeLimit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? "was stopped because it took more than \(Self.timeLimit)"
        }
        logger.notice("session '\(session)': \(program) \(end)")
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

    /// Runs a command and returns how it ended.
    ///
    /// If it is stopped, the processes that it has started are stopped, too.
    private static func end(of relaunch: SessionTable.Relaunch) async -> String {
        var options = PlatformOptions()
        // The command gets its own process group.
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: timeout)
        ]
        let group = Atomic<pid_t>(0)
        defer {
            let leader = group.load(ordering: .relaxed)
            // Processes that a command leaves running when it ends by itself continue.
            if Task.isCancelled, leader > 1 { kill(-leader, SIGKILL) }
        }
        do {
            let record = try await Subprocess.run(
                .path(FilePath(relaunch.command[0])),
                arguments: Arguments(Array(relaunch.command.dropFirst())),
                environment: .inherit.updating(["PAWL_SESSION": relaunch.session]),
                platformOptions: options,
                input: .none,
                // Both outputs go to the log.
                output: .fileDescriptor(.standardError, closeAfterSpawningProcess: false),
                error: .currentStandardError
            ) { execution in
                group.store(execution.processIdentifier.value, ordering: .relaxed)
            }
            return "\(record.terminationStatus)"
        } catch {
            return "failed: \("\(error)".sanitized)"
        }
    }
}
