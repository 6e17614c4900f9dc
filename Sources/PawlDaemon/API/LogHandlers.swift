internal import Hummingbird
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Answers requests for the daemon's logs.
struct LogHandlers: Sendable {
    private let file: DaemonLogFile
    private let auditFile: DaemonLogFile

    init(_ paths: DaemonPaths) {
        (file, auditFile) = (DaemonLogFile(path: paths.log), DaemonLogFile(path: paths.audit))
    }

    func log(_ request: Request) throws -> Response {
        let limit = try limit(request)
        // The file may be that of an earlier daemon.
        guard file.isStandardError else { return try .json(WireLog(isFile: false, lines: [])) }
        let lines = try file.lastLines(limit)
        return try .json(WireLog(isFile: true, lines: lines.map(String.init)))
    }

    func audit(_ request: Request) throws -> Response {
        let lines = try auditFile.lastLines(try limit(request))
        return try .json(WireAudit(AuditEntry.all(in: lines)))
    }

    private func limit(_ request: Request) throws(DownloadError) -> Int {
        guard let parameter = try request.parameters.last(where: { $0.name == "limit" }) else {
            return LogLimit.standard
        }
        return try QueryText.number("limit", parameter.value, in: 1...Int64(LogLimit.most))
    }
}
