internal import ArgumentParser
internal import FoundationEssentials
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
        let (count, json) = (try options.count(), json)
        guard try !ChosenDaemon.isRemote() else {
            return try daemonWork(console) { (client) async throws(DownloadError) in
                try Self.show(try await client.audit(lines: count), json: json, console)
                return 0
            }
        }
        let file = DaemonLogFile(path: try DaemonPaths.current().audit)
        return {
            do throws(DownloadError) {
                try Self.show(AuditEntry.all(in: try file.lastLines(count)), json: json, console)
                return 0
            } catch {
                console.report(error)
                return error.code.exitStatus
            }
        }
    }

    private static func show(
        _ entries: [AuditEntry],
        json: Bool,
        _ console: Console
    ) throws(DownloadError) {
        let lines = try entries.map { (entry) throws(DownloadError) in
            json ? String(decoding: try WireJSON.encode(entry), as: UTF8.self) : text(entry)
        }
        console.output(lines.map { $0 + "\n" }.joined())
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
