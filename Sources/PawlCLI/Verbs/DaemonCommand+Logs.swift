internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

extension DaemonCommand {
    /// `pawl daemon logs`: what a daemon in the background has said.
    struct Logs: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "logs",
            abstract: "Show what the daemon in the background has said."
        )

        @Option(
            name: [.customShort("n", allowingJoined: true), .long],
            parsing: .unconditional,
            help: ArgumentHelp("So many lines, 1 to 100000. Default: 100.", valueName: "n")
        )
        var lines: String?

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let surroundings = try ServiceSurroundings.current()
            let places = surroundings.places
            var most = 100
            if let lines {
                most = try usage("--lines") { () throws(ValueError) in
                    try NumberText.count(lines, in: 1...100_000)
                }
            }
            let count = most
            if UnitFolder(path: surroundings.unitFolder).hasUnits,
                Systemctl.ask(["is-active", "--quiet", ServiceUnits.socketName]).isSuccess
            {
                Self.showJournal(count)
            }
            return {
                do throws(DownloadError) {
                    let text = try LogTail.read(places.log)
                    let lines = text.split(separator: "\n").suffix(count)
                    console.output(lines.map { $0 + "\n" }.joined())
                    return 0
                } catch {
                    console.report(error)
                    return error.code.exitStatus
                }
            }
        }

        /// What a service says is in systemd's journal; returns where there is none.
        private static func showJournal(_ count: Int) {
            let words = [
                "journalctl", "--user", "--unit=\(ServiceUnits.serviceName)", "--lines=\(count)",
                "--output=cat", "--no-pager",
            ]
            var arguments = words.map { strdup($0) } + [nil]
            signal(SIGPIPE, SIG_DFL)
            execvp(words[0], &arguments)
            signal(SIGPIPE, SIG_IGN)
            for argument in arguments { free(argument) }
        }
    }
}

/// The end of the daemon's log.
enum LogTail {
    private static let mostBytes = 4 << 20

    static func read(_ path: String) throws(DownloadError) -> String {
        guard let file = fopen(path, "re") else {
            throw DownloadError(
                .fileUnreadable,
                "there is no log to be read: \(String(cString: strerror(errno)))",
                advice: "a daemon in front writes to its terminal",
                context: "opening \(path)"
            )
        }
        defer { fclose(file) }
        if fseek(file, -mostBytes, SEEK_END) != 0 { rewind(file) }
        var bytes = [UInt8](repeating: 0, count: mostBytes)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
