internal import PawlCore

/// The description of a route.
struct APIOperation: Sendable {
    struct Parameter: Sendable {
        enum Place: String, Sendable {
            case path, query, header
        }

        var name: String
        var place: Place
        var schema: APISchema
        var about: String
    }

    /// The content of a successful answer.
    enum Answer: Sendable {
        case json(String)
        case text(String)
        case nothing
    }

    var method: String
    var path: String
    var name: String
    var about: String
    /// The demands that a request may make.
    ///
    /// A client that may make none of them is refused before the request is read.
    var demands: [Demand]
    var parameters: [Parameter] = []
    /// The schema of the body; `nil` if there is none.
    var body: String?
    var status = 200
    var answer: Answer
    /// The statuses that it may have besides those of all routes.
    var failures: [Int] = []

    private static let reasons = [
        400: "The request is not valid.", 401: "The token is missing or not valid.",
        403: "Not allowed for this client, or from that page.", 404: "Not found.",
        409: "Not possible in the current state.", 413: "The body is too large.",
        415: "The body is not declared as JSON.", 421: "The request names another host.",
        429: "Too many requests with an invalid token.", 503: "The queue cannot be written.",
        507: "The disk is full.",
    ]

    /// The statuses with which the guard of all routes may answer.
    private static let general = [400, 401, 403, 413, 415, 421, 429, 431, 500, 505]

    var value: JSONValue {
        var members: [(String, JSONValue)] = [
            ("operationId", .text(name)), ("summary", .text(about)),
        ]
        if demands == [.open] { members.append(("security", [])) }
        members.append(("x-demands", .list(demands.map { .text($0.rawValue) })))
        if !parameters.isEmpty {
            members.append(("parameters", .list(parameters.map(Self.value))))
        }
        if let body {
            let content = Self.content("application/json", .of(body))
            members.append(("requestBody", ["required": true, "content": content]))
        }
        members.append(("responses", responses))
        return .object(members)
    }

    private static func content(_ type: String, _ schema: APISchema) -> JSONValue {
        .object([(type, .object([("schema", schema.value)]))])
    }

    private static func value(_ parameter: Parameter) -> JSONValue {
        [
            "name": .text(parameter.name), "in": .text(parameter.place.rawValue),
            "description": .text(parameter.about), "required": .truth(parameter.place == .path),
            "schema": parameter.schema.value,
        ]
    }

    private var responses: JSONValue {
        var members: [(String, JSONValue)] = []
        var success: [(String, JSONValue)] = [("description", "Done.")]
        switch answer {
        case .json(let name):
            success.append(("content", Self.content("application/json", .of(name))))
        case .text(let type):
            success.append(("content", Self.content(type, .text())))
        case .nothing: break
        }
        members.append(("\(status)", .object(success)))
        let content = Self.content("application/problem+json", .of("Problem"))
        for status in Set(Self.general + failures).sorted() {
            let reason = Self.reasons[status] ?? "The request failed."
            members.append(("\(status)", ["description": .text(reason), "content": content]))
        }
        return .object(members)
    }
}
