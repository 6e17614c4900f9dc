internal import CPlatform
internal import Glibc
internal import PawlCore
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A program that a user has chosen, run without a shell and with a time limit.
package struct ProgramRun: Sendable {
    /// The program, by its absolute path or its name in `PATH`, and its arguments; not empty.
    package var words: [String]
    /// The variables that are added to the environment, or removed from it.
    package var environment: [String: String?] = [:]
    /// Its standard input.
    package var input: [UInt8] = []
    /// The open file that is its standard input instead, and is closed when it has started.
    package var inputFile: Int32?
    /// The file for standard output and standard error; by default that of this process's errors.
    package var output = STDERR_FILENO
    /// The file for standard error if it is another one.
    package var errors: Int32?
    package var timeLimit = Self.longestTime

    /// The maximum time that a program may take by default.
    package static let longestTime: Duration = .seconds(600)
    /// The time that a stopped program has to end.
    private static let graceTime: Duration = .seconds(1)

    package init(_ words: [String]) { self.words = words }

    /// How a program has ended.
    package struct End: Sendable, Hashable {
        /// The exit status; 1 if the program was stopped by a signal or did not start.
        package var status: Int32
        /// The end as a phrase: `ended with status 1`.
        package var text: String

        package var isSuccess: Bool { status == 0 }

        static func failure(_ text: String) -> End { End(status: 1, text: text) }
    }

    /// Runs the program and returns how it ended.
    ///
    /// If the task is cancelled or the time is over, the program is stopped, and so are the
    /// processes that it has started. Processes that it leaves running when it ends by itself
    /// continue.
    package func run() async -> End {
        await withTaskGroup(of: End?.self) { group in
            group.addTask { await runToEnd() }
            group.addTask {
                // The sleep is cancelled when the program has ended.
                try? await Task.sleep(for: timeLimit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .failure("was stopped because it took more than \(timeLimit)")
        }
    }

    private func runToEnd() async -> End {
        var options = PlatformOptions()
        // It gets a process group of its own, and no terminal that could stop it.
        options.createSession = true
        options.teardownSequence = [
            .send(
                signal: .terminate,
                toProcessGroup: true,
                allowedDurationToNextStep: Self.graceTime
            )
        ]
        let group = Atomic<pid_t>(0)
        defer {
            let leader = group.load(ordering: .relaxed)
            if Task.isCancelled, leader > 1 { kill(-leader, SIGKILL) }
        }
        // In a file, the input does not disturb a program that never reads it.
        let source = inputFile ?? Self.file(with: input)
        guard source >= 0 else { return .failure("failed: no memory for its input") }
        var variables: [Environment.Key: String?] = [:]
        for (name, value) in environment { variables[.init(stringLiteral: name)] = value }
        do {
            let record = try await Subprocess.run(
                words[0].isAbsolutePath ? .path(FilePath(words[0])) : .name(words[0]),
                arguments: Arguments(Array(words.dropFirst())),
                environment: .inherit.updating(variables),
                platformOptions: options,
                input: .fileDescriptor(
                    FileDescriptor(rawValue: source),
                    closeAfterSpawningProcess: true
                ),
                output: .fileDescriptor(
                    FileDescriptor(rawValue: output),
                    closeAfterSpawningProcess: false
                ),
                error: .fileDescriptor(
                    FileDescriptor(rawValue: errors ?? output),
                    closeAfterSpawningProcess: false
                )
            ) { execution in
                group.store(execution.processIdentifier.value, ordering: .relaxed)
            }
            switch record.terminationStatus {
            case .exited(let code): return End(status: code, text: "ended with status \(code)")
            case .signaled(let signal): return .failure("was ended by signal \(signal)")
            }
        } catch {
            return .failure("failed: \("\(error)".sanitized)")
        }
    }

    /// Returns the descriptor of a file in memory, positioned at its beginning; -1 on failure.
    private static func file(with bytes: [UInt8]) -> Int32 {
        let descriptor = pawl_memory_file()
        guard descriptor >= 0 else { return -1 }
        guard write(descriptor, bytes, bytes.count) == bytes.count,
            lseek(descriptor, 0, SEEK_SET) == 0
        else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}
