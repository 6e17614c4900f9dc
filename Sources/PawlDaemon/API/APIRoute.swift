internal import HTTPTypes
internal import Hummingbird
internal import Pawl
package import PawlWire

/// A route of the API: the requests that it accepts, and the handler that answers them.
///
/// openapi.yaml describes the routes; tests compare the two.
package struct APIRoute: Sendable {
    typealias Handler = @Sendable (DaemonAPI, Request, APIContext) async throws -> Response

    let method: HTTPRequest.Method
    /// The path, such as `/v1/downloads/{id}`.
    package let path: String
    /// The demands that a request may make.
    ///
    /// A client that may make none of them is refused before the request is read.
    package let demands: [Demand]
    /// The names of the parameters in the query; `nil` if any are accepted.
    package let parameters: [String]?
    /// The type of the body; `nil` if there is none.
    package let body: (any RequestObject.Type)?
    let respond: Handler

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ demands: [Demand] = [.read],
        parameters: [String]? = [],
        body: (any RequestObject.Type)? = nil,
        respond: @escaping Handler
    ) {
        (self.method, self.path, self.demands) = (method, path, demands)
        (self.parameters, self.body, self.respond) = (parameters, body, respond)
    }

    /// The method and the path.
    package var name: String { "\(method.rawValue) \(path)" }

    /// Returns the route that a request was given to; `nil` if there is none.
    static func serving(_ request: Request, _ context: APIContext) -> APIRoute? {
        let method = request.method == .head ? HTTPRequest.Method.get : request.method
        return byName["\(method.rawValue) \(context.endpointPath ?? "")"]
    }

    private static let byName = Dictionary(
        (all + page).map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns the methods of a requested path; empty if there is no such path.
    package static func methods(of path: String) -> [String] {
        let found = routes(of: path)
        let files = page.filter { $0.path == path }
        // HEAD is answered like GET (RFC 9110 §9.3.2).
        return (found + files).flatMap {
            $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue]
        }
    }

    /// Returns a request as the audit log shows it, without texts that the client chose:
    /// they may be secrets.
    package static func shownName(of method: String, _ path: String) -> String {
        guard let route = routes(of: path).first(where: { $0.method.rawValue == method }) else {
            return "other"
        }
        guard let word = parts(path).last, let action = QueueAction(rawValue: String(word)),
            route.path.hasSuffix("{action}")
        else { return route.name }
        return "\(method) \(APIPath.action(action))"
    }

    private static func routes(of path: String) -> [APIRoute] {
        let requested = parts(path)
        return all.filter { route in
            let own = parts(route.path)
            return own.count == requested.count
                && zip(own, requested).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
    }

    private static func parts(_ path: String) -> [Substring] {
        path.pathNames
    }

    /// The files of the page, which contain no data of the user and are not part of the API.
    static let page = PageFile.all.map { file in
        let page = PageResponse(file)
        return APIRoute(.get, file.path, [.open], parameters: nil) { _, request, _ in
            page.response(to: request)
        }
    }

    /// The routes of the API.
    package static let all: [APIRoute] = downloads + feeds + sessions + labels + fleet + service

    /// The parameters of ``ListQuery``.
    private static let listParameters = [
        "state", "session", "label", "target", "search", "after", "order", "pending", "limit",
    ]

    private static let downloads: [APIRoute] = [
        APIRoute(
            .get,
            "/v1/downloads",
            parameters: listParameters
        ) { api, request, _ in try await api.downloads.list(request) },
        APIRoute(.get, "/v1/requests", [.readSecrets], parameters: listParameters) {
            try await $0.downloads.requests($1, $2)
        },
        APIRoute(
            .post,
            "/v1/downloads",
            [.add, .replace, .addFromFiles, .addToSession],
            body: NewDownloads.self
        ) { api, request, context in try await api.downloads.add(request, context) },
        APIRoute(
            .post,
            "/v1/imports",
            [.add, .replace, .addFromFiles, .addToSession],
            parameters: ["line"],
            body: NewDownload.self
        ) { api, request, context in try await api.imports.add(request, context) },
        APIRoute(.get, "/v1/downloads/{id}") { api, _, context in
            try await api.downloads.show(context)
        },
        APIRoute(.get, "/v1/downloads/{id}/segments") { api, _, context in
            try await api.downloads.segments(context)
        },
        APIRoute(.get, "/v1/downloads/{id}/events", parameters: ["before", "limit"]) {
            try await $0.downloads.events($1, $2)
        },
        APIRoute(.get, "/v1/downloads/{id}/resume-data", [.readSecrets]) { api, _, context in
            try await api.downloads.resumeData(context)
        },
        APIRoute(.get, "/v1/downloads/{id}/error-response", [.readSecrets]) { api, _, context in
            try await api.downloads.errorResponse(context)
        },
        APIRoute(
            .post,
            "/v1/actions/{action}",
            [.control, .remove, .discard],
            body: Selection.self
        ) { api, request, context in try await api.downloads.act(request, context) },
        APIRoute(.post, "/v1/undo", [.undo]) { api, _, context in
            let outcome = try await api.queue.undoRemoval(by: context.authority)
            return try Response.json(context.changed.adding(outcome))
        },
        APIRoute(
            .post,
            "/v1/changes",
            [.control, .readdress, .rename, .describe],
            body: SelectedChanges.self
        ) { api, request, context in try await api.downloads.change(request, context) },
    ]

    private static let feeds: [APIRoute] = [
        APIRoute(.get, "/v1/feeds") { api, _, _ in try await api.feeds.list() },
        APIRoute(
            .post,
            "/v1/feeds",
            [.addFeed, .replace, .addFromFiles, .addToSession],
            body: NewFeed.self
        ) { api, request, context in try await api.feeds.add(request, context) },
        APIRoute(
            .patch,
            "/v1/feeds/{id}",
            [.control, .readdress, .rename, .addToSession],
            body: FeedChanges.self
        ) { api, request, context in try await api.feeds.change(request, context) },
        APIRoute(.delete, "/v1/feeds/{id}", [.remove]) { api, _, context in
            try await api.feeds.remove(context)
        },
        APIRoute(.post, "/v1/feeds/{id}/check", [.control]) { api, _, context in
            try await api.feeds.check(context)
        },
    ]

    private static let sessions: [APIRoute] = [
        APIRoute(
            .get,
            "/v1/events",
            [.read, .useSession],
            parameters: ["session", "process", "take-over"]
        ) { api, request, context in try await api.events.respond(to: request, context) },
        APIRoute(.get, "/v1/sessions", parameters: ["after", "limit"]) { api, request, _ in
            try await api.sessions.list(request)
        },
        APIRoute(
            .post,
            "/v1/sessions",
            [.makeSession, .useSession, .setCommand],
            body: SessionRegistration.self
        ) { api, request, context in try await api.sessions.register(request, context) },
        APIRoute(.delete, "/v1/sessions", [.forgetSession], parameters: ["session"]) {
            try await $0.sessions.forget($1, $2)
        },
        APIRoute(
            .post,
            "/v1/acknowledgements",
            [.useSession],
            body: Acknowledgement.self
        ) { api, request, context in try await api.sessions.acknowledge(request, context) },
    ]

    private static let labels: [APIRoute] = [
        APIRoute(.get, "/v1/labels", parameters: ["after", "limit"]) { api, request, _ in
            let query = try PageQuery(request)
            return try Response.json(try await api.queue.store.read { try $0.labels.list(query) })
        },
        APIRoute(.post, "/v1/labels", [.changeLabels], body: LabelSettings.self) {
            api,
            request,
            context in
            let settings: LabelSettings = try await RequestBody.read(request)
            return try Response.json(
                try await api.queue.setLabel(settings, by: context.authority)
            )
        },
        APIRoute(.delete, "/v1/labels", [.changeLabels], parameters: ["label"]) {
            try await $0.downloads.removeLabel($1, $2)
        },
    ]

    private static let fleet: [APIRoute] = [
        APIRoute(.get, "/v1/fleet") { api, _, _ in try await api.fleet.show() },
        APIRoute(.post, "/v1/fleet/drain", [.manageFleet], parameters: ["node"]) {
            try await $0.fleet.drain($1, $2)
        },
        APIRoute(.get, "/v1/fleet/leftovers", parameters: ["after", "limit"]) { api, request, _ in
            try await api.fleet.leftovers(request)
        },
        APIRoute(.get, "/v1/fleet/foreign-uploads", [.readSecrets], parameters: ["bucket"]) {
            api,
            request,
            _ in
            try await api.fleet.foreignUploads(request)
        },
        APIRoute(.get, "/v1/fleet/failures", parameters: ["host"]) { api, request, _ in
            try await api.fleet.failures(request)
        },
        APIRoute(
            .post,
            "/v1/fleet/failures/retries",
            [.manageFleet],
            body: FailureRetry.self
        ) { api, request, context in try await api.fleet.retryFailures(request, context) },
    ]

    private static let service: [APIRoute] = [
        APIRoute(.get, "/v1/status") { api, _, _ in try await api.status.status() },
        APIRoute(.get, "/v1/settings") { api, _, context in
            try Response.json(await api.queue.shownSettings(to: context.authority))
        },
        APIRoute(
            .patch,
            "/v1/settings",
            [.changeSettings, .changeBounds],
            body: DaemonSettingsChange.self
        ) { api, request, context in
            let change: DaemonSettingsChange = try await RequestBody.read(request)
            return try Response.json(try await api.queue.change(change, by: context.authority))
        },
        APIRoute(.get, "/v1/hosts", parameters: ["after", "limit"]) { api, request, _ in
            try Response.json(api.queue.session.hosts.page(try PageQuery(request)))
        },
        APIRoute(.get, "/v1/statistics") { api, _, _ in
            try Response.json(try await api.status.statistics())
        },
        APIRoute(.get, "/v1/audit", [.readAuditLog], parameters: ["limit"]) { api, request, _ in
            try await api.audit.entries(request)
        },
        APIRoute(.get, "/v1/tokens", [.letIn]) { api, _, _ in try await api.tokens.list() },
        APIRoute(.post, "/v1/tokens", [.letIn], body: NewToken.self) { api, request, _ in
            try await api.tokens.make(request)
        },
        APIRoute(.delete, "/v1/tokens", [.letIn], parameters: ["token"]) { api, request, _ in
            try await api.tokens.revoke(request)
        },
        APIRoute(.post, "/v1/login-codes", [.letIn]) { api, _, _ in
            try await api.login.makeCode()
        },
        APIRoute(.post, "/v1/login", [.open], body: Login.self) { api, request, context in
            try await api.login.login(request, context)
        },
        APIRoute(.get, "/readyz", [.open]) { api, _, _ in try await api.status.readiness() },
        APIRoute(.get, "/healthz") { api, _, _ in try await api.status.health() },
        APIRoute(.get, "/metrics") { api, _, _ in try await api.status.metrics() },
        APIRoute(.get, "/openapi.yaml") { _, _, _ in APIDocument.response },
    ]
}
