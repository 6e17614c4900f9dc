internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon logs`: shows the log of a daemon that runs in the background or as a service.
struct DaemonLogsCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show the background daemon's log."
    )

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of lines to show, 1 to 100000. Default: 100.",
            valueName: "n"
        )
    )
    var lines: String?

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let surroundings = try ServiceSurroundings.current()
        let path = surroundings.places.log
        let count = try lineCount()
        if UnitFolder(path: surroundings.unitFolder).hasUnits,
            Systemctl.run(["is-active", "--quiet", ServiceUnits.socketName]).isSuccess
        {
            Self.showJournal(count)
        }
        return {
            do throws(DownloadError) {
                let text = try LogTail.read(path)
                let lines = text.split(separator: "\n").suffix(count)
                console.output(lines.map { $0 + "\n" }.joined())
                return 0
            } catch {
                console.report(error)
                return error.code.exitStatus
            }
        }
    }

    private func lineCount() throws(DownloadError) -> Int {
        guard let lines else { return 100 }
        return try usage("--lines") { () throws(ValueError) in
            try NumberText.count(lines, in: 1...100_000)
        }
    }

    /// Replaces this process by journalctl, which has the log of a service; returns if there is no
    /// journalctl.
    private static func showJournal(_ count: Int) {
        let command = [
            "journalctl", "--user", "--unit=\(ServiceUnits.serviceName)", "--lines=\(count)",
            "--output=cat", "--no-pager",
        ]
        var arguments = command.map { strdup($0) } + [nil]
        signal(SIGPIPE, SIG_DFL)
        execvp(command[0], &arguments)
        signal(SIGPIPE, SIG_IGN)
        for argument in arguments { free(argument) }
    }
}

/// Reads the end of the daemon's log.
private enum LogTail {
    private static let maximumBytes = 4 << 20

    static func read(_ path: String) throws(DownloadError) -> String {
        guard let file = fopen(path, "re") else {
            throw DownloadError(
                .fileUnreadable,
                "the log cannot be read: \(String(cString: strerror(errno)))",
                advice: "a daemon in the foreground writes its log to the terminal",
                context: "opening \(path)"
            )
        }
        defer { fclose(file) }
        if fseek(file, -maximumBytes, SEEK_END) != 0 { rewind(file) }
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
