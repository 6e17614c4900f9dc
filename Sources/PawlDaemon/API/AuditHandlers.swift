internal import Hummingbird
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Answers requests for the audit log.
///
/// There are none for the daemon's log, which contains what hooks print and the URLs of webhooks.
struct AuditHandlers: Sendable {
    private let file: DaemonLogFile

    init(_ paths: DaemonPaths) { file = DaemonLogFile(path: paths.audit) }

    func entries(_ request: Request) throws -> Response {
        let lines = try file.lastLines(try limit(request))
        return try .json(WireAudit(AuditEntry.all(in: lines)))
    }

    private func limit(_ request: Request) throws(DownloadError) -> Int {
        guard let parameter = try request.parameters.last(where: { $0.name == "limit" }) else {
            return LogLimit.standard
        }
        return try QueryText.number("limit", parameter.value, in: 1...Int64(LogLimit.most))
    }
}
