internal import Glibc
internal import Logging
internal import PawlCore
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// Runs what a session wants to be run when all its downloads have ended and no process is attached
/// to it.
final class Relauncher: Sendable {
    private let keeper: DownloadKeeper
    private let desk: SessionDesk
    private let logger: Logger
    /// The sessions whose command runs.
    private let running = Mutex<Set<String>>([])

    /// So long a command may take.
    private static let grace: Duration = .seconds(3)
    private static let timeLimit: Duration = .seconds(600)
    /// So long one may wind up that is ended.
    private static let patience: Duration = .seconds(1)

    init(keeper: DownloadKeeper, desk: SessionDesk, logger: Logger) {
        self.keeper = keeper
        self.desk = desk
        self.logger = logger
    }

    /// Looks each time that `desk.left` rings, until the task is cancelled.
    ///
    /// A command that runs then is ended.
    func run() async {
        // Processes that were attached before come back first.
        guard (try? await Task.sleep(for: Self.grace)) != nil else { return }
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for relaunch in await due() {
                    group.addTask { await self.launch(relaunch) }
                }
                await desk.left.wait()
            }
            group.cancelAll()
        }
    }

    private func due() async -> [StoreTransaction.Relaunch] {
        do throws(DownloadError) {
            return try await keeper.relaunches().filter { relaunch in
                !desk.isTaken(relaunch.session)
                    && running.withLock { $0.insert(relaunch.session).inserted }
            }
        } catch {
            logger.error("what is to be run for sessions cannot be told: \(error)")
            return []
        }
    }

    private func launch(_ relaunch: StoreTransaction.Relaunch) async {
        let (session, program) = (relaunch.session.sanitized, relaunch.command[0].sanitized)
        logger.notice("session '\(session)': all has ended, running \(program)")
        let end = await withTaskGroup(of: String?.self) { group in
            group.addTask { await Self.end(of: relaunch) }
            group.addTask {
                // Cancelled means that the command has ended.
                try? await Task.sleep(for: Self.timeLimit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? "was ended, as it took more than \(Self.timeLimit)"
        }
        logger.notice("session '\(session)': \(program) \(end)")
        defer {
            running.withLock { _ = $0.remove(relaunch.session) }
            // More may have ended meanwhile.
            desk.left.ring()
        }
        // One that the daemon's end has ended runs again with the next start.
        guard !Task.isCancelled else { return }
        do throws(DownloadError) {
            try await keeper.relaunched(relaunch)
        } catch {
            logger.error("session '\(session)': that its command has run is not kept: \(error)")
        }
    }

    /// How it ended; where it is ended, what it has started is, too.
    private static func end(of relaunch: StoreTransaction.Relaunch) async -> String {
        var options = PlatformOptions()
        // A group of its own.
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: patience)
        ]
        let group = Atomic<pid_t>(0)
        defer {
            let leader = group.load(ordering: .relaxed)
            // What stays when the command has ended by itself is to stay.
            if Task.isCancelled, leader > 1 { kill(-leader, SIGKILL) }
        }
        do {
            let record = try await Subprocess.run(
                .path(FilePath(relaunch.command[0])),
                arguments: Arguments(Array(relaunch.command.dropFirst())),
                environment: .inherit.updating(["PAWL_SESSION": relaunch.session]),
                platformOptions: options,
                input: .none,
                // Both to where the log goes.
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
