internal import CBench
internal import Glibc

/// A process started by the benchmark, the leader of its own process group.
struct ChildProcess {
    let identifier: pid_t
    private let name: String

    /// Starts the program with the given name or path.
    ///
    /// Its output is written to the file `log`.
    init(_ command: [String], environment: [String], log: String) throws {
        guard let program = command.first else { throw BenchError("an empty command") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, flags, 0o644)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var process: pid_t = 0
        let code = CStrings.with(command) { arguments in
            CStrings.with(environment) { environment in
                posix_spawnp(&process, program, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else {
            throw BenchError("cannot start \(program): \(String(cString: strerror(code)))")
        }
        identifier = process
        name = program
    }

    /// Waits for the end; `nil` if the process has not ended by then.
    ///
    /// Returns the status as from `wait`. Throws when the benchmark is interrupted.
    func wait(until limit: Moment) throws -> Int32? {
        let file = bench_open_process(identifier)
        guard file >= 0 else { throw BenchError.system("cannot watch \(name)") }
        defer { close(file) }
        while true {
            try Interruption.check()
            let left = limit.nanoseconds - Moment.now.nanoseconds
            guard left > 0 else { return nil }
            var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            // The wait is split, because a signal just before the call would not interrupt it.
            if bench_poll(&entry, 1, min(left, 200_000_000)) > 0 { return reap() }
        }
    }

    /// Ends the process and its children, and waits for it.
    ///
    /// The process has `patienceSeconds` to end by itself before it is killed.
    func end(_ signal: Int32 = SIGTERM, patienceSeconds: Double = 5) {
        kill(-identifier, signal)
        guard !hasEnded(withinSeconds: patienceSeconds) else { return }
        kill(-identifier, SIGKILL)
        _ = reap()
    }

    /// Waits for the end, whatever the status, and even if the benchmark is interrupted.
    func hasEnded(withinSeconds seconds: Double) -> Bool {
        let limit = Moment.now.advanced(bySeconds: seconds)
        while Moment.now < limit {
            var status: Int32 = 0
            if waitpid(identifier, &status, WNOHANG) != 0 { return true }
            Moment.now.advanced(bySeconds: 0.002).wait()
        }
        return false
    }

    private func reap() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
