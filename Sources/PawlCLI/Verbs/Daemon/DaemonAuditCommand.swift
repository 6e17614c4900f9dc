internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon audit`: shows who has changed something.
struct DaemonAuditCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show who changed something, from where, and which requests were refused.",
        discussion: """
            Each line has the time, who made the request (socket, page, nobody, or the name of a \
            token), the address of the client, the request, the status of the response, and the \
            downloads. The log contains no URLs and no secrets.
            """
    )

    @OptionGroup var options: LogOptions

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try ChosenDaemon.checkIsOfThisMachine("pawl daemon audit")
        let path = try DaemonPaths.current().audit
        let (count, json) = (try options.count(), json)
        return {
            do throws(DownloadError) {
                let lines = try Self.lines(path, count)
                guard !json else {
                    console.output(lines.map { $0 + "\n" }.joined())
                    return 0
                }
                // A line that was cut off by a full disk is left out.
                let entries = lines.compactMap {
                    try? WireJSON.decode(AuditEntry.self, from: $0.utf8)
                }
                console.output(entries.map { "\(Self.text($0))\n" }.joined())
                return 0
            } catch {
                console.report(error)
                return error.code.exitStatus
            }
        }
    }

    /// Returns the last lines of the file, and of the previous one if there are too few.
    private static func lines(
        _ path: String,
        _ count: Int
    ) throws(DownloadError) -> [Substring] {
        var lines: [Substring] = []
        for file in [path, "\(path).1"] where lines.count < count {
            // Before the first change, there is no file.
            guard access(file, F_OK) == 0 else { continue }
            lines = try LogTail.read(file).split(separator: "\n") + lines
        }
        return lines.suffix(count)
    }

    private static func text(_ entry: AuditEntry) -> String {
        let who = entry.token.map { "token \($0.sanitized)" } ?? entry.who.rawValue
        var words = [
            entry.time.formatted(.iso8601), who, entry.client ?? "-", entry.request,
            "\(entry.status)",
        ]
        if let ids = entry.downloads, let count = entry.count {
            let more = count > ids.count ? " and \(count - ids.count) more" : ""
            words.append("#" + ids.map { "\($0)" }.joined(separator: " #") + more)
        }
        if let omitted = entry.omitted {
            words.append("(\(omitted) earlier requests not recorded)")
        }
        return words.joined(separator: "  ").sanitized
    }
}
