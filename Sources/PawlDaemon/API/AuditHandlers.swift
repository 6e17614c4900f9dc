internal import Hummingbird
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Answers requests for the audit log.
///
/// There are none for the daemon's log, which contains what hooks print and the URLs of webhooks.
struct AuditHandlers: Sendable {
    private let file: DaemonLogFile
    private let session: DownloadSession

    /// `session`: reads the log on its threads.
    init(_ paths: DaemonPaths, _ session: DownloadSession) {
        file = DaemonLogFile(path: paths.audit)
        self.session = session
    }

    func entries(_ request: Request) async throws -> Response {
        let lines = try await file.lastLines(try limit(request), in: session)
        return try .json(WireAudit(AuditEntry.all(in: lines)))
    }

    private func limit(_ request: Request) throws(DownloadError) -> Int {
        guard let parameter = try request.parameters.last(where: { $0.name == "limit" }) else {
            return LogLimit.standard
        }
        return try QueryText.number("limit", parameter.value, in: 1...Int64(LogLimit.most))
    }
}
