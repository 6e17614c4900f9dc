internal import PawlWire

extension APIDocument {
    static let operations: [APIOperation] = downloads + sessions + service

    private typealias Parameter = APIOperation.Parameter

    private static let id = Parameter(
        name: "id",
        place: .path,
        schema: .whole(),
        about: "The download's number."
    )

    private static func query(_ name: String, _ schema: APISchema, _ about: String) -> Parameter {
        Parameter(name: name, place: .query, schema: schema, about: about)
    }

    private static let downloads: [APIOperation] = [
        APIOperation(
            method: "get",
            path: "/v1/downloads",
            name: "listDownloads",
            about: "A page of the downloads.",
            demands: [.look],
            parameters: listParameters,
            answer: .json("DownloadPage")
        ),
        APIOperation(
            method: "post",
            path: "/v1/downloads",
            name: "addDownloads",
            about: "Adds downloads, all or none; 1 MiB at most over TCP, 64 MiB at the socket.",
            demands: [.add, .replace, .addFromFiles, .addToSession],
            parameters: [
                Parameter(
                    name: "Idempotency-Key",
                    place: .header,
                    schema: .text(),
                    about: "With the same key the same downloads are added once within a day."
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
            about: "One download.",
            demands: [.look],
            parameters: [id],
            answer: .json("Download"),
            failures: [404]
        ),
        APIOperation(
            method: "get",
            path: "/v1/downloads/{id}/segments",
            name: "segments",
            about: "Which bytes are there, and which connection is to bring what.",
            demands: [.look],
            parameters: [id],
            answer: .json("Segments"),
            failures: [404]
        ),
        APIOperation(
            method: "get",
            path: "/v1/downloads/{id}/events",
            name: "downloadEvents",
            about: "What happened to one download: the newest events, in order.",
            demands: [.look],
            parameters: [
                id,
                query("before", .whole(from: 0), "Before this event: `next` of a later page."),
                query("limit", .whole(from: 1, to: PageQuery.mostLimit), "So many at most; 200."),
            ],
            answer: .json("Events"),
            failures: [404]
        ),
        APIOperation(
            method: "get",
            path: "/v1/downloads/{id}/resume-data",
            name: "resumeData",
            about: "With what it could be gone on elsewhere. Not over TCP.",
            demands: [.lookAtSecrets],
            parameters: [id],
            answer: .json("ResumeData"),
            failures: [404]
        ),
        APIOperation(
            method: "post",
            path: "/v1/actions/{action}",
            name: "act",
            about: "Does something to downloads: to all that are meant, or to none.",
            demands: [.control, .remove, .discard],
            parameters: [
                Parameter(
                    name: "action",
                    place: .path,
                    schema: .word(QueueAction.allCases.map(\.rawValue)),
                    about: "What is done."
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
            about: "Changes downloads, also while they run.",
            demands: [.control, .readdress, .rename, .describe],
            body: "SelectedChanges",
            answer: .json("Outcome"),
            failures: [404, 409, 507]
        ),
    ]

    private static let listParameters = [
        query("state", .text(), "Of these states, with commas between them."),
        query("session", .text(), "Of this session."),
        query("target", .text(), "An id, a name or a pattern of names; several on a line each."),
        query("search", .text(), "Whose name or URL holds this text, whatever its capitals."),
        query("after", .whole(from: 0), "Behind this id: `next` of the page before."),
        query("order", .word(["newest", "oldest"]), "Which come first."),
        query("pending", .word(["true"]), "Only what has not ended, or was not acknowledged."),
        query("limit", .whole(from: 1, to: ListQuery.mostLimit), "So many at most; 100."),
    ]

    private static let pageParameters = [
        query("after", .text(), "Behind this name: `next` of the page before."),
        query("limit", .whole(from: 1, to: PageQuery.mostLimit), "So many at most; 1000."),
    ]

    private static let sessions: [APIOperation] = [
        APIOperation(
            method: "get",
            path: "/v1/events",
            name: "events",
            about: "What happens, as server-sent events; `progress` up to four times a second.",
            demands: [.look, .useSession],
            parameters: [
                Parameter(
                    name: "Last-Event-ID",
                    place: .header,
                    schema: .whole(from: 0),
                    about: "What came behind this event is told first, each once and in order."
                ),
                query("session", .text(), "Of this session alone."),
                query("process", .whole(from: 1), "As the session's owner."),
                query("take-over", .word(["true"]), "Also where another process is."),
            ],
            answer: .text("text/event-stream"),
            failures: [404, 409]
        ),
        APIOperation(
            method: "get",
            path: "/v1/sessions",
            name: "listSessions",
            about: "A page of the sessions, by name, and who is attached.",
            demands: [.look],
            parameters: pageParameters,
            answer: .json("Sessions")
        ),
        APIOperation(
            method: "post",
            path: "/v1/sessions",
            name: "registerSession",
            about: "From now on its events are kept until they are acknowledged.",
            demands: [.makeSession, .useSession, .setCommand],
            body: "SessionRegistration",
            answer: .json("Session"),
            failures: [507]
        ),
        APIOperation(
            method: "delete",
            path: "/v1/sessions",
            name: "forgetSession",
            about: "Forgets one that nobody is attached to; its downloads stay.",
            demands: [.forgetSession],
            parameters: [query("session", .text(), "Its name.")],
            status: 204,
            answer: .nothing,
            failures: [404, 409, 507]
        ),
        APIOperation(
            method: "post",
            path: "/v1/acknowledgements",
            name: "acknowledge",
            about: "Everything of a session up to that event was delivered.",
            demands: [.useSession],
            body: "Acknowledgement",
            status: 204,
            answer: .nothing,
            failures: [404, 507]
        ),
    ]

    private static let service: [APIOperation] = [
        get("/v1/status", "status", "What the daemon says of itself.", "Status"),
        get("/v1/settings", "settings", "What holds for the whole queue.", "Settings"),
        APIOperation(
            method: "patch",
            path: "/v1/settings",
            name: "changeSettings",
            about: "Changes settings; they hold at once, and after a restart.",
            demands: [.changeSettings, .changeBounds],
            body: "SettingsChange",
            answer: .json("Settings"),
            failures: [507]
        ),
        APIOperation(
            method: "get",
            path: "/v1/hosts",
            name: "hosts",
            about: "Connections, budget and cool-down of each host, by name.",
            demands: [.look],
            parameters: pageParameters,
            answer: .json("Hosts")
        ),
        get("/v1/statistics", "statistics", "What was done since the daemon began.", "Statistics"),
        APIOperation(
            method: "post",
            path: "/v1/login-codes",
            name: "makeLoginCode",
            about: "A code for a browser. Not over TCP.",
            demands: [.letIn],
            status: 201,
            answer: .json("LoginCode"),
            failures: [409]
        ),
        APIOperation(
            method: "post",
            path: "/v1/login",
            name: "login",
            about: "A cookie for a code, once, or for the token.",
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
            about: "That the daemon can do its work: its queue can be read and written.",
            demands: [.look],
            answer: .json("Health"),
            failures: [503]
        ),
        APIOperation(
            method: "get",
            path: "/metrics",
            name: "metrics",
            about: "Numbers in the text form of Prometheus.",
            demands: [.look],
            answer: .text("text/plain")
        ),
        APIOperation(
            method: "get",
            path: "/openapi.json",
            name: "document",
            about: "This document.",
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
