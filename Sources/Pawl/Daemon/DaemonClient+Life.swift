internal import Glibc
package import PawlCore
internal import PawlWire

/// Beginning and ending the daemon.
extension DaemonClient {
    /// Starts it, with these arguments, unless it runs; returns whether it ran already.
    package func startDaemon(_ arguments: [String] = []) async throws(DownloadError) -> Bool {
        // Where systemd listens, asking starts one.
        let wasThere = isRunning
        do throws(DownloadError) {
            _ = try await status()
            return wasThere
        } catch {
            guard error.code == .daemonUnavailable else { throw error }
        }
        try places.prepare()
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(5)
        while true {
            do throws(DownloadError) {
                // It blocks this thread, and nothing else is to be done meanwhile.
                try DaemonLauncher.start(places, arguments)
                return false
            } catch {
                // Somebody else was faster, and that one may not answer yet, or end all the same. Where
                // nobody has the store, it is the port that somebody has.
                guard error.code == .alreadyRunning, isRunning, clock.now < deadline,
                    !Task.isCancelled
                else { throw error }
            }
            if try await waitForAnswer(until: deadline) { return true }
        }
    }

    /// Returns false where the process that was waited for has ended without an answer.
    private func waitForAnswer(
        until deadline: ContinuousClock.Instant
    ) async throws(DownloadError) -> Bool {
        while true {
            do throws(DownloadError) {
                _ = try await status()
                return true
            } catch {
                guard error.code == .daemonUnavailable, ContinuousClock.now < deadline,
                    !Task.isCancelled
                else { throw error }
            }
            guard isRunning else { return false }
            // Cancelled is what the loop looks at.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Asks; where no daemon answers, starts one and asks again.
    package func starting<Value: Sendable>(
        _ ask: @Sendable (DaemonClient) async throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        do throws(DownloadError) {
            return try await ask(self)
        } catch {
            guard error.code == .daemonUnavailable else { throw error }
            _ = try await startDaemon()
            return try await ask(self)
        }
    }

    /// Ends it and waits for that; the number of its process.
    @discardableResult
    package func stopDaemon() async throws(DownloadError) -> Int32 {
        try checkRuns()
        let status = try await status()
        kill(status.processIdentifier, SIGTERM)
        try await waitForEnd()
        return status.processIdentifier
    }

    /// Stops the running daemon and starts a new one, with the same arguments unless others are given.
    ///
    /// Returns the process identifier of the stopped daemon; `nil` if none was running.
    package func restartDaemon(
        _ arguments: [String]? = nil
    ) async throws(DownloadError) -> Int32? {
        guard isRunning else {
            _ = try await startDaemon(arguments ?? [])
            return nil
        }
        let old = try await status().processIdentifier
        let words = arguments ?? Self.arguments(of: old)
        try await stopDaemon()
        _ = try await startDaemon(words)
        return old
    }

    /// What a daemon was started with, but for what its starter alone needs.
    private static func arguments(of process: Int32) -> [String] {
        let file = open("/proc/\(process)/cmdline", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(file, &bytes, bytes.count)
        var words = bytes.prefix(max(0, count)).split(
            separator: 0,
            omittingEmptySubsequences: false
        )
        .dropLast().dropFirst().map { String(decoding: $0, as: UTF8.self) }
        if let index = words.firstIndex(of: "--ready-descriptor"), index + 1 < words.count {
            words.removeSubrange(index...(index + 1))
        }
        return words
    }

    /// Whether a process has the store: asking at the socket could start one.
    package var isRunning: Bool {
        let lock = open("\(places.storeFolder)/daemon.lock", O_RDONLY | O_CLOEXEC)
        guard lock >= 0 else { return false }
        defer { close(lock) }
        return flock(lock, LOCK_SH | LOCK_NB) != 0
    }

    /// Throws `.daemonUnavailable` where none runs.
    package func checkRuns() throws(DownloadError) {
        guard !isRunning else { return }
        throw DownloadError(
            .daemonUnavailable,
            "no daemon has \(places.storeFolder)",
            advice: "start it: pawl daemon start"
        )
    }

    /// Waits until the store's lock is free: then all is written and closed.
    package func waitForEnd() async throws(DownloadError) {
        let lock = open("\(places.storeFolder)/daemon.lock", O_RDONLY | O_CLOEXEC)
        guard lock >= 0 else { return }
        defer { close(lock) }
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(10)
        while flock(lock, LOCK_SH | LOCK_NB) != 0 {
            guard clock.now < deadline, !Task.isCancelled else {
                throw DownloadError(
                    .timedOut,
                    "the daemon has not ended yet",
                    advice: "look at \(places.log)"
                )
            }
            // Cancelled is what the loop looks at.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
