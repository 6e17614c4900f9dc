internal import CPlatform
internal import Glibc
internal import PawlCore
internal import PawlWire

/// Starts a daemon as a separate process that outlives this one.
enum DaemonLauncher {
    /// The descriptor on which the daemon reports that it accepts requests, or why it does not.
    private static let readyDescriptor: Int32 = 3

    /// Starts the daemon.
    ///
    /// Returns when the daemon accepts requests.
    ///
    /// It blocks. Throws the daemon's own error if it ends instead.
    static func start(
        _ paths: DaemonPaths,
        _ arguments: [String] = []
    ) throws(DownloadError) {
        let program = try DaemonProgramFile.path()
        let log = try openLog(paths.log)
        defer { close(log) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure("creating a pipe", errno) }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let code = spawn(program, arguments, log: log, ready: ends[1])
        close(ends[1])
        guard code == 0 else { throw failure("starting it", code) }
        let answer = readAll(ends[0])
        if answer == Array("ready\n".utf8) { return }
        if let problem = try? WireJSON.decode(Problem.self, from: answer) { throw problem.error }
        throw DownloadError(
            .daemonUnavailable,
            "the daemon exited before it was ready",
            advice: "see \(paths.log)"
        )
    }

    private static func openLog(_ path: String) throws(DownloadError) -> Int32 {
        let descriptor = DaemonLogFile(path: path).open()
        guard descriptor >= 0 else { throw failure("opening \(path)", errno) }
        return descriptor
    }

    private static func spawn(
        _ program: String,
        _ arguments: [String],
        log: Int32,
        ready: Int32
    ) -> Int32 {
        let words =
            [DaemonProgramFile.name, "--ready-descriptor", "\(readyDescriptor)"] + arguments
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        return pawl_spawn_detached(program, &arguments, log, ready, readyDescriptor)
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += piece[..<count]
            if bytes.last == UInt8(ascii: "\n") { break }
        }
        return bytes
    }

    private static func failure(_ what: String, _ code: Int32) -> DownloadError {
        DownloadError(
            .daemonUnavailable,
            "the daemon cannot be started: \(String(cString: strerror(code)))",
            advice: "run \(DaemonProgramFile.name) in a terminal, which shows why",
            context: what
        )
    }
}
