internal import PawlCore

/// A route as the document tells of it.
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

    /// What comes where it went well.
    enum Answer: Sendable {
        case json(String)
        case text(String)
        case nothing
    }

    var method: String
    var path: String
    var name: String
    var about: String
    /// What a request of it may want to do; who may do none of that is refused before it is read.
    var demands: [Demand]
    var parameters: [Parameter] = []
    /// The schema of the body; nil is none.
    var body: String?
    var status = 200
    var answer: Answer
    /// Statuses that it may have besides those that all have.
    var failures: [Int] = []

    private static let reasons = [
        400: "Something in the request cannot be.", 401: "No token, or not the daemon's.",
        403: "Not allowed for this caller, or from that page.", 404: "There is no such thing.",
        409: "Not possible as things are.", 413: "The body is too large.",
        415: "The body is not said to be JSON.", 421: "For another host.",
        429: "Too many wrong tokens.", 503: "The queue cannot be written.",
        507: "The disk is full.",
    ]

    /// What the guard in front of all routes may answer.
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
            let reason = Self.reasons[status] ?? "It went wrong."
            members.append(("\(status)", ["description": .text(reason), "content": content]))
        }
        return .object(members)
    }
}
