internal import PawlWire

extension APIDocument {
    static let operations: [APIOperation] = downloads + sessions + service

    private typealias Parameter = APIOperation.Parameter

    private static let id = Parameter(
        name: "id",
        place: .path,
        schema: .whole(),
        about: "The number of the download."
    )

    private static func query(_ name: String, _ schema: APISchema, _ about: String) -> Parameter {
        Parameter(name: name, place: .query, schema: schema, about: about)
    }

    private static let downloads: [APIOperation] = [
        APIOperation(
            method: "get",
            path: "/v1/downloads",
            name: "listDownloads",
            about: "Returns a page of the downloads.",
            demands: [.look],
            parameters: listParameters,
            answer: .json("DownloadPage")
        ),
        APIOperation(
            method: "post",
            path: "/v1/downloads",
            name: "addDownloads",
            about:
                "Adds downloads, all or none. The body may have 1 MiB over TCP, and 64 MiB at the socket.",
            demands: [.add, .replace, .addFromFiles, .addToSession],
            parameters: [
                Parameter(
                    name: "Idempotency-Key",
                    place: .header,
                    schema: .text(),
                    about:
                        "A key of the client's choice. Requests with one key within a day add the downloads only once."
                )
            ],
            body: "NewDownloads",
            status: 201,
            answer: .json("Outcome"),
            failures: [409, 507]
        ),
        APIOperation(
            method: "get",
            path: "/v1/downloads/{id}",
            name: "showDownload",
            about: "Returns one download.",
            demands: [.look],
            parameters: [id],
            answer: .json("Download"),
            failures: [404]
        ),
        APIOperation(
            method: "get",
            path: "/v1/downloads/{id}/segments",
            name: "segments",
            about: "Returns the bytes that are present, and the ranges that the connections fetch.",
            demands: [.look],
            parameters: [id],
            answer: .json("Segments"),
            failures: [404]
        ),
        APIOperation(
            method: "get",
            path: "/v1/downloads/{id}/events",
            name: "downloadEvents",
            about: "Returns the newest events of one download, oldest first.",
            demands: [.look],
            parameters: [
                id,
                query(
                    "before",
                    .whole(from: 0),
                    "The event before which the page ends: `next` of a later page."
                ),
                query(
                    "limit",
                    .whole(from: 1, to: PageQuery.mostLimit),
                    "The maximum number. Default: 200."
                ),
            ],
            answer: .json("Events"),
            failures: [404]
        ),
        APIOperation(
            method: "get",
            path: "/v1/downloads/{id}/resume-data",
            name: "resumeData",
            about: "Returns the data to resume the download elsewhere. Not available over TCP.",
            demands: [.lookAtSecrets],
            parameters: [id],
            answer: .json("ResumeData"),
            failures: [404]
        ),
        APIOperation(
            method: "post",
            path: "/v1/actions/{action}",
            name: "act",
            about: "Carries out an operation on all selected downloads, or on none.",
            demands: [.control, .remove, .discard],
            parameters: [
                Parameter(
                    name: "action",
                    place: .path,
                    schema: .word(QueueAction.allCases.map(\.rawValue)),
                    about: "The operation."
                )
            ],
            body: "Selection",
            answer: .json("Outcome"),
            failures: [404, 409, 507]
        ),
        APIOperation(
            method: "post",
            path: "/v1/changes",
            name: "changeDownloads",
            about: "Changes downloads, even while they run.",
            demands: [.control, .readdress, .rename, .describe],
            body: "SelectedChanges",
            answer: .json("Outcome"),
            failures: [404, 409, 507]
        ),
    ]

    private static let listParameters = [
        query("state", .text(), "The states, separated by commas."),
        query("session", .text(), "Only downloads of this session."),
        query("target", .text(), "Ids, names or patterns of names, one per line."),
        query("search", .text(), "A text that the name or the URL must contain, ignoring case."),
        query(
            "after",
            .whole(from: 0),
            "The id after which the page begins: `next` of the previous page."
        ),
        query("order", .word(["newest", "oldest"]), "The downloads that come first."),
        query(
            "pending",
            .word(["true"]),
            "Only downloads that have not ended, or whose end was not acknowledged."
        ),
        query(
            "limit",
            .whole(from: 1, to: ListQuery.mostLimit),
            "The maximum number. Default: 100."
        ),
    ]

    private static let pageParameters = [
        query(
            "after",
            .text(),
            "The name after which the page begins: `next` of the previous page."
        ),
        query(
            "limit",
            .whole(from: 1, to: PageQuery.mostLimit),
            "The maximum number. Default: 1000."
        ),
    ]

    private static let sessions: [APIOperation] = [
        APIOperation(
            method: "get",
            path: "/v1/events",
            name: "events",
            about: "Returns events as server-sent events; `progress` up to four times per second.",
            demands: [.look, .useSession],
            parameters: [
                Parameter(
                    name: "Last-Event-ID",
                    place: .header,
                    schema: .whole(from: 0),
                    about: "The last event that the client saw: all later ones are sent, in order."
                ),
                query("session", .text(), "Only events of this session."),
                query(
                    "process",
                    .whole(from: 1),
                    "The id of the process that becomes the session's owner."
                ),
                query("take-over", .word(["true"]), "Replaces another process as the owner."),
            ],
            answer: .text("text/event-stream"),
            failures: [404, 409]
        ),
        APIOperation(
            method: "get",
            path: "/v1/sessions",
            name: "listSessions",
            about: "Returns a page of the sessions, sorted by name, with their attached processes.",
            demands: [.look],
            parameters: pageParameters,
            answer: .json("Sessions")
        ),
        APIOperation(
            method: "post",
            path: "/v1/sessions",
            name: "registerSession",
            about: "Registers a session, whose events are kept until they are acknowledged.",
            demands: [.makeSession, .useSession, .setCommand],
            body: "SessionRegistration",
            answer: .json("Session"),
            failures: [507]
        ),
        APIOperation(
            method: "delete",
            path: "/v1/sessions",
            name: "forgetSession",
            about: "Forgets a session to which no process is attached. Its downloads are kept.",
            demands: [.forgetSession],
            parameters: [query("session", .text(), "The name of the session.")],
            status: 204,
            answer: .nothing,
            failures: [404, 409, 507]
        ),
        APIOperation(
            method: "post",
            path: "/v1/acknowledgements",
            name: "acknowledge",
            about: "Acknowledges all events of a session up to the given one.",
            demands: [.useSession],
            body: "Acknowledgement",
            status: 204,
            answer: .nothing,
            failures: [404, 507]
        ),
    ]

    private static let service: [APIOperation] = [
        get("/v1/status", "status", "Returns the daemon's report about itself.", "Status"),
        get("/v1/settings", "settings", "Returns the daemon's settings.", "Settings"),
        APIOperation(
            method: "patch",
            path: "/v1/settings",
            name: "changeSettings",
            about: "Changes settings, immediately and permanently.",
            demands: [.changeSettings, .changeBounds],
            body: "SettingsChange",
            answer: .json("Settings"),
            failures: [507]
        ),
        APIOperation(
            method: "get",
            path: "/v1/hosts",
            name: "hosts",
            about: "Returns connections, budget and cool-down of each host, sorted by name.",
            demands: [.look],
            parameters: pageParameters,
            answer: .json("Hosts")
        ),
        get(
            "/v1/statistics",
            "statistics",
            "Returns the daemon's counters since it started.",
            "Statistics"
        ),
        APIOperation(
            method: "post",
            path: "/v1/login-codes",
            name: "makeLoginCode",
            about: "Creates a login code for a browser. Not available over TCP.",
            demands: [.letIn],
            status: 201,
            answer: .json("LoginCode"),
            failures: [409]
        ),
        APIOperation(
            method: "post",
            path: "/v1/login",
            name: "login",
            about: "Exchanges a login code, which works once, or the token for a cookie.",
            demands: [.open],
            body: "Login",
            status: 204,
            answer: .nothing,
            failures: [409]
        ),
        APIOperation(
            method: "get",
            path: "/healthz",
            name: "health",
            about: "Reports whether the daemon can work: its queue can be read and written.",
            demands: [.look],
            answer: .json("Health"),
            failures: [503]
        ),
        APIOperation(
            method: "get",
            path: "/metrics",
            name: "metrics",
            about: "Returns metrics in the text format of Prometheus.",
            demands: [.look],
            answer: .text("text/plain")
        ),
        APIOperation(
            method: "get",
            path: "/openapi.json",
            name: "document",
            about: "Returns this document.",
            demands: [.look],
            answer: .text("application/json")
        ),
    ]

    private static func get(
        _ path: String,
        _ name: String,
        _ about: String,
        _ schema: String
    ) -> APIOperation {
        APIOperation(
            method: "get",
            path: path,
            name: name,
            about: about,
            demands: [.look],
            answer: .json(schema)
        )
    }
}
