package import PawlCore
package import PawlWire
internal import struct FoundationEssentials.URL
internal import struct FoundationEssentials.URLComponents
internal import struct FoundationEssentials.URLQueryItem
internal import Synchronization

/// A client of the daemon, which uses the engine's own HTTP: over the socket of this machine's daemon,
/// or over TCP.
package final class DaemonClient: Sendable {
    /// The paths of this machine's daemon.
    package let paths: DaemonPaths
    /// The daemon over TCP that is used in place of this machine's; `nil` for this machine's.
    package let remote: RemoteDaemon?
    private let session: DownloadSession
    private let peer = Mutex<Int?>(nil)
    /// The maximum time to wait for a daemon that is starting or stopping, or for a remote one that has
    /// answered before.
    let patience: Duration
    /// Whether this process has the turn to start or stop the daemon (`CommandLock`).
    private let holdsCommandLock: Bool

    /// Creates a client.
    ///
    /// It connects when the first request is sent, and waits for a daemon that is starting or
    /// stopping, or that a command of another process starts or stops.
    ///
    /// - Parameters:
    ///   - remote: The daemon over TCP to use in place of this machine's.
    package convenience init(
        _ paths: DaemonPaths,
        remote: RemoteDaemon? = nil,
        patience: Duration = .seconds(30)
    ) {
        self.init(paths, remote, DownloadSession(), patience: patience, holdsCommandLock: false)
    }

    private init(
        _ paths: DaemonPaths,
        _ remote: RemoteDaemon?,
        _ session: DownloadSession,
        patience: Duration,
        holdsCommandLock: Bool
    ) {
        (self.paths, self.remote, self.session) = (paths, remote, session)
        (self.patience, self.holdsCommandLock) = (patience, holdsCommandLock)
    }

    /// The client for the command that starts or stops the daemon, which does not wait for itself.
    var holdingCommandLock: DaemonClient {
        DaemonClient(paths, remote, session, patience: patience, holdsCommandLock: true)
    }

    /// The daemon as a process.
    package var process: DaemonProcess { DaemonProcess(self) }

    // MARK: - Requests

    package func status() async throws(DownloadError) -> DaemonStatus {
        try await fetch(APIPath.status)
    }

    /// Adds all downloads or none.
    ///
    /// Requests with the same key are carried out once. Over TCP, a request has at most 1 MiB:
    /// `ListSubmission` divides longer lists.
    package func add(
        _ downloads: [NewDownload],
        key: String? = nil
    ) async throws(DownloadError) -> WireOutcome {
        let fields = key.map { [HTTPField(name: APIPath.idempotencyKey, value: $0)] } ?? []
        return try await send(APIPath.downloads, NewDownloads(downloads), fields: fields)
    }

    /// Adds the lines of a list that are not added yet, and returns how far the import is, also
    /// without lines.
    ///
    /// - Parameters:
    ///   - lines: Downloads and URLs in JSON, one per line; over TCP, 1 MiB at most.
    ///   - line: The number of the first line.
    ///   - key: The key of the import.
    package func importLines(
        _ lines: [UInt8],
        from line: Int64,
        key: String
    ) async throws(DownloadError) -> WireImport {
        var fields = [HTTPField(name: APIPath.idempotencyKey, value: key)]
        if !lines.isEmpty { fields.append(Self.isLines) }
        do throws(DownloadError) {
            let query = ["line": "\(line)"]
            return try await read(
                try await open("POST", APIPath.imports, query, fields: fields, body: lines)
            )
        } catch {
            // A daemon of an older version does not have the route.
            guard error.code == .notFound else { throw error }
            throw older(error)
        }
    }

    /// Returns a download; `nil` if the daemon does not have it.
    package func find(_ id: Int64) async throws(DownloadError) -> WireDownload? {
        do throws(DownloadError) {
            return try await fetch(APIPath.download(id))
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    package func list(_ query: ListQuery) async throws(DownloadError) -> WireDownloadPage {
        try await fetch(APIPath.downloads, query.parameters)
    }

    package func act(
        _ action: QueueAction,
        on selection: Selection
    ) async throws(DownloadError) -> WireOutcome {
        try await send(APIPath.action(action), selection)
    }

    /// Puts back what the newest removal has removed: downloads, or a feed.
    package func undo() async throws(DownloadError) -> WireOutcome {
        try await read(try await open("POST", APIPath.undo))
    }

    package func change(
        _ selection: Selection,
        _ changes: DownloadChanges
    ) async throws(DownloadError) -> WireOutcome {
        try await send(APIPath.changes, SelectedChanges(selection, changes))
    }

    package func register(
        _ registration: SessionRegistration
    ) async throws(DownloadError) -> WireSession {
        try await send(APIPath.sessions, registration)
    }

    package func forgetSession(_ identifier: String) async throws(DownloadError) {
        let query = AttachQuery(session: identifier).parameters
        _ = try await open("DELETE", APIPath.sessions, query)
    }

    package func acknowledge(_ event: Int64, of session: String) async throws(DownloadError) {
        let json = try WireJSON.encode(Acknowledgement(session: session, event: event))
        _ = try await open("POST", APIPath.acknowledgements, fields: [Self.isJSON], body: json)
    }

    package func resumeData(of id: Int64) async throws(DownloadError) -> ResumeData? {
        let answer: WireResumeData = try await fetch(APIPath.resumeData(id))
        return try answer.resumeData.map { (data) throws(DownloadError) in
            try ResumeData(data: data)
        }
    }

    /// Returns the response with which the server refused a download; `nil` if none is kept.
    package func errorResponse(of id: Int64) async throws(DownloadError) -> ErrorResponse? {
        do throws(DownloadError) {
            let answer: WireRefusal = try await fetch(APIPath.errorResponse(id))
            return answer.errorResponse?.errorResponse
        } catch {
            // A daemon of an older version does not have the route.
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Returns what adds the same download again; `nil` if the daemon has forgotten it.
    package func requests(_ query: ListQuery) async throws(DownloadError) -> WireRequestPage {
        try await fetch(APIPath.requests, query.parameters)
    }

    /// Returns the URL to open in a browser, which logs in once.
    package func loginCode() async throws(DownloadError) -> LoginCode {
        try await read(try await open("POST", APIPath.loginCodes))
    }

    /// Returns all tokens, without the secrets themselves.
    package func tokens() async throws(DownloadError) -> [WireToken] {
        let list: WireTokens = try await fetch(APIPath.tokens)
        return list.tokens
    }

    /// Creates a token, or returns the main token.
    package func makeToken(_ new: NewToken) async throws(DownloadError) -> String {
        let secret: WireSecret = try await send(APIPath.tokens, new)
        return secret.token
    }

    /// Revokes a token.
    package func revokeToken(_ name: String) async throws(DownloadError) {
        _ = try await open("DELETE", APIPath.tokens, ["token": name])
    }

    /// Returns all sessions, sorted by name.
    package func sessions() async throws(DownloadError) -> [WireSession] {
        var sessions: [WireSession] = []
        var query: [String: String] = [:]
        while true {
            let page: WireSessions = try await fetch(APIPath.sessions, query)
            sessions += page.sessions
            guard let next = page.next else { return sessions }
            query["after"] = try Self.checked(next, after: query["after"])
        }
    }

    /// Returns all labels, sorted by name.
    package func labels() async throws(DownloadError) -> [WireLabel] {
        var labels: [WireLabel] = []
        var query: [String: String] = [:]
        while true {
            let page: WireLabels = try await fetch(APIPath.labels, query)
            labels += page.labels
            guard let next = page.next else { return labels }
            query["after"] = try Self.checked(next, after: query["after"])
        }
    }

    /// Returns the beginning of the next page.
    ///
    /// Throws `.badResponse` unless it comes after the last one: the pages could have no end.
    private static func checked(
        _ next: String,
        after last: String?
    ) throws(DownloadError) -> String {
        // The order of the daemon's store.
        guard let last, !last.utf8.lexicographicallyPrecedes(next.utf8) else { return next }
        throw repeatedPage
    }

    /// Returns the ID after which the next page begins, for a list by ascending IDs.
    ///
    /// Throws `.badResponse` unless it is above the last one: the pages could have no end.
    package static func checked(
        _ next: Int64,
        after last: Int64?
    ) throws(DownloadError) -> Int64 {
        guard let last, next <= last else { return next }
        throw repeatedPage
    }

    private static let repeatedPage = DownloadError(
        .badResponse,
        "the daemon answered with a page of a list that does not follow the last one",
        advice: "check the URL of the daemon"
    )

    package func set(_ label: LabelSettings) async throws(DownloadError) -> WireLabel {
        try await send(APIPath.labels, label)
    }

    package func removeLabel(_ name: String) async throws(DownloadError) {
        _ = try await open("DELETE", APIPath.labels, ["label": name])
    }

    /// Returns all feeds, sorted by name.
    package func feeds() async throws(DownloadError) -> [WireFeed] {
        let answer: WireFeeds = try await fetch(APIPath.feeds)
        return answer.feeds
    }

    /// Adds a feed, which the daemon checks at once.
    ///
    /// Requests with the same key are carried out once.
    package func add(
        _ feed: NewFeed,
        key: String? = nil
    ) async throws(DownloadError) -> WireFeed {
        let fields = key.map { [HTTPField(name: APIPath.idempotencyKey, value: $0)] } ?? []
        return try await send(APIPath.feeds, feed, fields: fields)
    }

    package func changeFeed(
        _ id: Int64,
        _ changes: FeedChanges
    ) async throws(DownloadError) -> WireFeed {
        try await send(APIPath.feed(id), changes, method: "PATCH")
    }

    package func removeFeed(_ id: Int64) async throws(DownloadError) {
        _ = try await open("DELETE", APIPath.feed(id))
    }

    /// Checks a feed, and returns when that is done, even if the feed cannot be read.
    package func checkFeed(_ id: Int64) async throws(DownloadError) -> WireFeedCheck {
        // The daemon waits for the server of the feed.
        try await read(
            try await open("POST", APIPath.feedCheck(id), answersWithin: .seconds(300))
        )
    }

    package func settings() async throws(DownloadError) -> DaemonSettings {
        try await fetch(APIPath.settings)
    }

    package func change(
        _ change: DaemonSettingsChange
    ) async throws(DownloadError) -> DaemonSettings {
        try await send(APIPath.settings, change, method: "PATCH")
    }

    /// Returns the last entries of the audit log.
    package func audit(lines: Int) async throws(DownloadError) -> [AuditEntry] {
        let answer: WireAudit = try await fetch(APIPath.audit, ["limit": "\(lines)"])
        return answer.entries
    }

    /// Returns the events from now on.
    ///
    /// With `last`, it returns the events after that one, and continues.
    package func events(after last: Int64? = nil) async throws(DownloadError) -> DaemonEvents {
        DaemonEvents(try await open("GET", APIPath.events, fields: Self.fields(after: last)))
    }

    /// Makes a process the session's owner while the events are read.
    ///
    /// The stream contains the events that were not acknowledged, or those after one that was seen,
    /// and continues.
    ///
    /// Throws `.alreadyRunning` if another process owns the session and is not to be replaced.
    package func attach(
        _ query: AttachQuery,
        after last: Int64?
    ) async throws(DownloadError) -> DaemonEvents {
        let fields = Self.fields(after: last)
        let stream = try await open("GET", APIPath.events, query.parameters, fields: fields)
        return DaemonEvents(stream)
    }

    private static func fields(after last: Int64?) -> [HTTPField] {
        last.map { [HTTPField(name: APIPath.lastEvent, value: "\($0)")] } ?? []
    }

    private static let isJSON = HTTPField(name: "Content-Type", value: "application/json")
    private static let isLines = HTTPField(name: "Content-Type", value: "application/x-ndjson")

    // MARK: - Sending requests

    func fetch<Answer: Decodable>(
        _ path: String,
        _ query: [String: String] = [:]
    ) async throws(DownloadError) -> Answer {
        try await read(try await open("GET", path, query))
    }

    func send<Answer: Decodable>(
        _ path: String,
        _ body: some Encodable,
        method: String = "POST",
        fields: [HTTPField] = []
    ) async throws(DownloadError) -> Answer {
        let json = try WireJSON.encode(body)
        return try await read(
            try await open(method, path, fields: fields + [Self.isJSON], body: json)
        )
    }

    func open(
        _ method: String,
        _ path: String,
        _ query: [String: String] = [:],
        fields: [HTTPField] = [],
        body: [UInt8] = [],
        answersWithin stallTimeout: Duration? = nil
    ) async throws(DownloadError) -> DataStream {
        // Another user's program could listen there, and requests may contain secrets.
        if remote == nil { try paths.checkSocketFolder() }
        var request = DownloadRequest(try url(path, query), adjusting: adjustment(stallTimeout))
        request.method = method
        request.fields = fields + [remote?.authorization].compactMap(\.self)
        request.body = body
        request.decodesContent = false
        request.acceptsErrorStatuses = true
        // A stream of events has no limit.
        let limit = path == APIPath.events ? nil : remote?.limit(answersWithin: stallTimeout)
        let stream = try await response(to: request, limit)
        let status = stream.response.status
        let field = Self.versionField(of: stream.response)
        if let remote, field == nil {
            // Over TCP, refusals have no field.
            guard status >= 400 else { throw remote.foreignResponse(status) }
            throw remote.explained(await problem(of: stream), status)
        }
        let version = ProtocolVersion.parse(field?.value)
        peer.withLock { $0 = version }
        guard status >= 400 else { return stream }
        let error = translated(await problem(of: stream), status, version)
        throw remote?.explained(error, status) ?? error
    }

    /// A wait for a daemon that does not accept connections.
    var wait: DaemonWait {
        guard remote == nil else {
            // An address that has never answered is probably wrong.
            let limit = isDaemonOlder == nil ? .zero : patience
            return DaemonWait(forRemoteAtMost: limit)
        }
        return DaemonWait(paths, atMost: patience, holdsCommandLock: holdsCommandLock)
    }

    /// Sends a request; waits for a daemon that is starting or stopping, or is started or stopped.
    private func response(
        to request: DownloadRequest,
        _ limit: ExchangeLimit?
    ) async throws(DownloadError) -> DataStream {
        var wait = wait
        while true {
            do throws(DownloadError) {
                let stream = try await limited(request, limit)
                guard isFailureOfProxy(stream.response), Self.mayRepeat(request),
                    await wait.pause()
                else { return stream }
                stream.cancel()
            } catch {
                guard mayPass(error), Self.mayRepeat(request, after: error), await wait.pause()
                else { throw explained(error) }
            }
        }
    }

    private func limited(
        _ request: DownloadRequest,
        _ limit: ExchangeLimit?
    ) async throws(DownloadError) -> DataStream {
        guard let limit else { return try await session.bytes(for: request) }
        return try await limit.response(to: request, in: session)
    }

    /// Whether a proxy before a remote daemon has answered that it cannot reach it, as while that
    /// daemon is restarted.
    private func isFailureOfProxy(_ response: DownloadResponse) -> Bool {
        remote != nil && (502...504).contains(response.status)
            && Self.versionField(of: response) == nil
    }

    /// Whether the same request may succeed a moment after this error.
    private func mayPass(_ error: DownloadError) -> Bool {
        guard let remote else { return error.code == .network }
        // A daemon that ends during a handshake resets the connection. `wait` has a limit only after
        // a first response.
        return [.network, .timedOut].contains(error.code) || remote.isHandshakeFailure(error)
    }

    /// Whether a request may be sent again: it changes nothing, is carried out once, or was not
    /// sent.
    private static func mayRepeat(
        _ request: DownloadRequest,
        after error: DownloadError? = nil
    ) -> Bool {
        let kind = (error?.cause as? NetworkFailure).flatMap(TransferFailure.Kind.init)
        return request.method == "GET"
            || request.fields.contains { $0.name == APIPath.idempotencyKey }
            || kind == .cannotConnect || kind == .tlsFailed
    }

    private static func versionField(of response: DownloadResponse) -> HTTPField? {
        response.fields.first { $0.name.lowercased() == versionField }
    }

    private static let versionField = ProtocolVersion.field.lowercased()

    /// Whether the daemon that responded is older than this program; `nil` if none has responded
    /// yet.
    package var isDaemonOlder: Bool? {
        peer.withLock { $0.map { $0 < ProtocolVersion.current } }
    }

    /// Distinguishes two responses of an older daemon: a request that it does not know, and one
    /// that it cannot carry out now.
    private func translated(
        _ error: DownloadError,
        _ status: Int,
        _ version: Int
    ) -> DownloadError {
        guard version < ProtocolVersion.current, error.code == .usage else { return error }
        guard status == 409 else { return older(error) }
        return DownloadError(
            .conflict,
            error.message,
            advice: error.guidance,
            context: error.context
        )
    }

    private func older(_ error: DownloadError) -> DownloadError {
        DownloadError(
            .daemonVersion,
            "the daemon is older than this program and answered: \(error.message)",
            advice: "\(replacement); all downloads are kept",
            context: error.context
        )
    }

    /// The notice about an older daemon that understands the request.
    package var olderNotice: Advice {
        "the daemon is older than this program; \(replacement)"
    }

    /// The request to replace an older daemon.
    private var replacement: Advice {
        remote == nil ? "\(.restartDaemon)" : RemoteDaemon.upgrade
    }

    private func url(_ path: String, _ query: [String: String]) throws(DownloadError) -> URL {
        var parts = URLComponents()
        (parts.scheme, parts.host, parts.path) = ("http", "localhost", path)
        if let base = remote?.url, let known = URLComponents(string: base.origin) {
            parts = known
            parts.path = base.prefix + path
        }
        if !query.isEmpty {
            parts.queryItems = query.sorted { $0.key < $1.key }.map { name, value in
                URLQueryItem(name: name, value: value)
            }
        }
        // A plus sign that is not encoded means a space.
        parts.percentEncodedQuery = parts.percentEncodedQuery?.replacing("+", with: "%2B")
        guard let url = parts.url else {
            throw .usage("the daemon has no path '\(path.sanitized)'")
        }
        return url
    }

    private func adjustment(_ stallTimeout: Duration?) -> SettingsAdjustment {
        { [socket = paths.socket, remote] settings in
            settings.stallTimeout = stallTimeout ?? settings.stallTimeout
            if let remote {
                remote.apply(to: &settings.connection)
            } else {
                settings.connection.socketPath = socket
            }
            settings.retries = 0
            // A redirect would send the body, which may contain secrets, to another server.
            settings.maximumRedirects = 0
        }
    }

    func read<Answer: Decodable>(_ stream: DataStream) async throws(DownloadError) -> Answer {
        let bytes: [UInt8]
        do throws(DownloadError) {
            bytes = try await body(of: stream, atMost: Self.mostAnswerBytes)
        } catch {
            throw explained(error)
        }
        return try WireJSON.decode(Answer.self, from: bytes)
    }

    private func body(
        of stream: DataStream,
        atMost limit: Int64
    ) async throws(DownloadError) -> [UInt8] {
        guard let remote else { return try await stream.collect(limit: limit).bytes }
        return try await remote.limit(mostBytes: limit).body(of: stream)
    }

    private func problem(of stream: DataStream) async -> DownloadError {
        let status = stream.response.status
        // Without its body the status is still useful.
        let body = try? await body(of: stream, atMost: Self.mostProblemBytes)
        if let body, let problem = try? WireJSON.decode(Problem.self, from: body) {
            return problem.error
        }
        return remote?.foreignResponse(status)
            ?? DownloadError(.badResponse, "the daemon answered \(status)")
    }

    /// Explains that no connection to the daemon is possible.
    private func explained(_ error: DownloadError) -> DownloadError {
        if let remote { return remote.explained(error) }
        guard error.code == .network || error.code == .timedOut else { return error }
        return DaemonAbsence(paths).error(isSilent: error.code == .timedOut)
    }

    private static let mostAnswerBytes: Int64 = 256 << 20
    private static let mostProblemBytes: Int64 = 1 << 20
}
