internal import Glibc
package import PawlCore
package import PawlWire

/// How the running daemon was started.
package enum DaemonStart: Sendable, Hashable {
    /// By this process, with its arguments.
    case byThis
    /// By another process meanwhile, such as systemd, with other arguments.
    case byAnother
    /// Before this call.
    case earlier
}

/// Starts and stops the daemon.
package struct DaemonProcess: Sendable {
    private let client: DaemonClient
    private var paths: DaemonPaths { client.paths }

    package init(_ client: DaemonClient) { self.client = client }

    /// Starts the daemon with these arguments, unless it runs.
    package func start(
        _ arguments: [String] = []
    ) async throws(DownloadError) -> DaemonStart {
        try paths.prepare()
        return try await inTurn { (process) async throws(DownloadError) in
            try await process.launch(arguments)
        }
    }

    /// Runs a command that may start or stop the daemon, after those of other processes.
    ///
    /// Other processes' requests that find no daemon wait for its end.
    private func inTurn<Value>(
        _ command: (DaemonProcess) async throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        let process = DaemonProcess(client.holdingCommandLock)
        // Without the folder, there is neither a daemon nor a command that starts one.
        guard access(paths.storeFolder, F_OK) == 0 else { return try await command(process) }
        let lock = try await CommandLock(
            folder: paths.storeFolder,
            waitingAtMost: client.patience
        )
        let value = try await command(process)
        withExtendedLifetime(lock) {}
        return value
    }

    private func launch(_ arguments: [String]) async throws(DownloadError) -> DaemonStart {
        let clock = ContinuousClock()
        let limit = clock.now + client.patience
        // If systemd listens at the socket, a request starts a daemon.
        let wasThere = isRunning
        do throws(DownloadError) {
            _ = try await client.status()
            return wasThere ? .earlier : .byAnother
        } catch {
            guard error.code == .daemonUnavailable, clock.now < limit else { throw error }
        }
        let deadline = clock.now + .seconds(5)
        while true {
            do throws(DownloadError) {
                // This blocks the thread, but there is nothing else to do meanwhile.
                try DaemonLauncher.start(paths, arguments)
                return .byThis
            } catch {
                // Another process was faster. Its daemon may not respond yet, or may still fail. If
                // nobody uses the store, it is the port that is in use.
                guard error.code == .alreadyRunning, isRunning, clock.now < deadline,
                    !Task.isCancelled
                else { throw error }
            }
            if try await waitForAnswer(until: deadline) { return .earlier }
        }
    }

    /// Waits for a response.
    ///
    /// Returns `false` if the process waited for has ended without one.
    private func waitForAnswer(
        until deadline: ContinuousClock.Instant
    ) async throws(DownloadError) -> Bool {
        while true {
            do throws(DownloadError) {
                _ = try await client.status()
                return true
            } catch {
                guard error.code == .daemonUnavailable, ContinuousClock.now < deadline,
                    !Task.isCancelled
                else { throw error }
            }
            guard isRunning else { return false }
            // The loop checks for cancellation.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Sends a request.
    ///
    /// If no daemon of this machine responds, starts one and sends it again.
    package func starting<Value: Sendable>(
        _ ask: @Sendable (DaemonClient) async throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        do throws(DownloadError) {
            return try await ask(client)
        } catch {
            guard error.code == .daemonUnavailable, client.remote == nil else { throw error }
            _ = try await start()
            return try await ask(client)
        }
    }

    /// Stops the daemon and waits for its end.
    ///
    /// Returns the id of its process.
    @discardableResult
    package func stop() async throws(DownloadError) -> Int32 {
        try await inTurn { (process) async throws(DownloadError) in try await process.end() }
    }

    private func end() async throws(DownloadError) -> Int32 {
        guard let process = try await runningProcess() else { throw DaemonAbsence(paths).error() }
        try await end(process)
        return process
    }

    private func end(_ process: Int32) async throws(DownloadError) {
        kill(process, SIGTERM)
        try await waitForEnd(of: process)
    }

    /// Changes settings of the daemon.
    ///
    /// If none runs, starts one for that, and stops it again.
    package func remember(_ change: DaemonSettingsChange) async throws(DownloadError) {
        try paths.prepare()
        try await inTurn { (process) async throws(DownloadError) in
            let wasThere = try await process.launch([]) == .earlier
            do throws(DownloadError) {
                _ = try await process.client.change(change)
            } catch {
                // The first error is the one that matters.
                if !wasThere { _ = try? await process.end() }
                throw error
            }
            if !wasThere { _ = try await process.end() }
        }
    }

    /// Stops the running daemon and starts a new one, with the same arguments unless others are
    /// given.
    ///
    /// Returns the process identifier of the stopped daemon, which is `nil` if none was running, and
    /// the status of the new one, which another command may stop after that.
    package func restart(
        _ arguments: [String]? = nil
    ) async throws(DownloadError) -> (old: Int32?, start: DaemonStart, status: DaemonStatus) {
        try paths.prepare()
        return try await inTurn { (process) async throws(DownloadError) in
            let old = try await process.runningProcess()
            var words = arguments ?? []
            if let old {
                if arguments == nil { words = try Self.arguments(of: old) }
                Self.keepStore(of: old)
            }
            if let old { try await process.end(old) }
            let start = try await process.launch(words)
            return (old, start, try await process.client.status())
        }
    }

    /// Returns the process of the daemon; `nil` if none runs, or if it has just stopped.
    private func runningProcess() async throws(DownloadError) -> Int32? {
        guard isRunning else { return nil }
        do throws(DownloadError) {
            return try await client.status().processIdentifier
        } catch {
            guard error.code == .daemonUnavailable, !isRunning else { throw error }
            return nil
        }
    }

    /// Returns the arguments of a running daemon, without those that only its starter needs, and
    /// without those that are settings, which may have been changed since.
    ///
    /// - Throws: `.usage` if one of them is the address of a store, which the daemon has hidden.
    private static func arguments(of process: Int32) throws(DownloadError) -> [String] {
        var words = Array(texts("/proc/\(process)/cmdline").dropFirst())
        guard !words.contains(where: { $0 == "--store" || $0.hasPrefix("--store=") }) else {
            throw .usage(
                "the daemon (process \(process)) was started with --store, and hides the address",
                advice: "give it again: pawl daemon restart --store ADDRESS"
            )
        }
        let names = [
            "--ready-descriptor", "--listen", "--tls-cert", "--tls-key", "--aria2-rpc",
            "--base-url",
            "--trusted-proxy",
        ]
        for name in names {
            while let index = words.firstIndex(of: name) {
                let value = words.dropFirst(index + 1).first
                let count = value.map { $0.hasPrefix("-") ? 1 : 2 } ?? 1
                words.removeSubrange(index..<index + count)
            }
            words.removeAll { $0.hasPrefix("\(name)=") }
        }
        return words
    }

    /// Lets the next daemon use the store of a running one, unless this process names another.
    private static func keepStore(of process: Int32) {
        let beginning = "\(StoreChoice.variable)="
        let variable = texts("/proc/\(process)/environ").last { $0.hasPrefix(beginning) }
        if let variable {
            setenv(StoreChoice.variable, String(variable.dropFirst(beginning.count)), 0)
        }
    }

    /// Returns the texts in a file of the system, each of which ends with a zero byte.
    private static func texts(_ path: String) -> [String] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while bytes.count < 4 << 20 {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a process uses the store.
    ///
    /// Asking at the socket could start a daemon.
    package var isRunning: Bool {
        StoreLock.owner(paths) != nil
    }

    /// Throws `.daemonUnavailable` if this machine's daemon is not running, and no command starts it.
    package func checkRuns() async throws(DownloadError) {
        guard client.remote == nil else { return }
        var wait = client.wait
        while !isRunning {
            guard await wait.pause() else { throw DaemonAbsence(paths).error() }
        }
    }

    /// Waits until a process no longer uses the store, so that everything is written and closed.
    ///
    /// `process`: `nil` for the process that uses the store now.
    package func waitForEnd(of process: Int32? = nil) async throws(DownloadError) {
        guard let first = StoreLock.owner(paths) else { return }
        let process = process ?? first.process
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(10)
        // Another command may start the next daemon at once.
        while let owner = StoreLock.owner(paths), owner.process == process {
            guard clock.now < deadline, !Task.isCancelled else {
                throw DownloadError(
                    .timedOut,
                    "the daemon has not stopped yet",
                    advice: "see \(paths.log)"
                )
            }
            // The loop checks for cancellation.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
