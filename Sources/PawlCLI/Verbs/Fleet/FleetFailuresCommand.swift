internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl fleet failures`: counts the failed downloads, or queues those of one kind again.
struct FleetFailuresCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "failures",
        abstract: "Count the failed downloads by kind of error and host, or retry those of a kind.",
        discussion: """
            The kinds are the codes of errors, such as not-found. The bytes received so far are \
            kept, as with 'pawl retry'.
            """
    )

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Retry the downloads that failed with this error.", valueName: "kind")
    )
    var retry: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only downloads from this host.", valueName: "host")
    )
    var host: String?

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (host, json) = (host?.lowercased(), json)
        if let retry {
            let kind = ErrorCode(rawValue: retry)
            return try daemonWork(console) { (client) async throws(DownloadError) in
                try await Self.retry(FailureRetry(kind, host: host), json: json, client, console)
            }
        }
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let failures = try await client.failures(of: host)
            console.show(failures, json: json) {
                FleetReport.failures(failures, width: console.outputColumns)
            }
            return 0
        }
    }

    private static func retry(
        _ asked: FailureRetry,
        json: Bool,
        _ client: DaemonClient,
        _ console: Console
    ) async throws(DownloadError) -> Int32 {
        var (asked, total) = (asked, WireRetried(0, next: nil))
        repeat {
            let retried = try await client.retry(asked)
            total.count += retried.count
            asked.after = try retried.next.map { (next) throws(DownloadError) in
                try DaemonClient.checked(next, after: asked.after)
            }
        } while asked.after != nil
        guard total.count > 0 else {
            let place = asked.host.map { " from \($0.sanitized(atMost: 100))" } ?? ""
            throw DownloadError(
                .notFound,
                "no download\(place) has failed with "
                    + "'\(asked.kind.rawValue.sanitized(atMost: 40))'",
                advice: "see 'pawl fleet failures'"
            )
        }
        console.show(total, json: json) {
            total.count == 1 ? "1 download queued\n" : "\(total.count) downloads queued\n"
        }
        return 0
    }
}
