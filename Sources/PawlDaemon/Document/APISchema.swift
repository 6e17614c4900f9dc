internal import PawlCore

/// The form of a value in JSON Schema 2020-12.
struct APISchema: Sendable {
    var value: JSONValue

    private static func make(_ members: [(String, JSONValue)], _ about: String) -> APISchema {
        APISchema(
            value: .object(members + (about.isEmpty ? [] : [("description", .text(about))]))
        )
    }

    static func text(_ about: String = "", example: String? = nil) -> APISchema {
        let example = example.map { [("examples", JSONValue.list([.text($0)]))] } ?? []
        return make([("type", "string")] + example, about)
    }

    static func word(_ words: [String], _ about: String = "") -> APISchema {
        make([("type", "string"), ("enum", .list(words.map { .text($0) }))], about)
    }

    static func date(_ about: String = "") -> APISchema {
        make([("type", "string"), ("format", "date-time")], about)
    }

    static func bytes(_ about: String = "") -> APISchema {
        make([("type", "string"), ("contentEncoding", "base64")], about)
    }

    static func whole(_ about: String = "", from least: Int? = nil, to most: Int? = nil)
        -> APISchema
    {
        var members: [(String, JSONValue)] = [("type", "integer")]
        if let least { members.append(("minimum", .number(least))) }
        if let most { members.append(("maximum", .number(most))) }
        return make(members, about)
    }

    static func number(_ about: String = "") -> APISchema { make([("type", "number")], about) }

    static func truth(_ about: String = "") -> APISchema { make([("type", "boolean")], about) }

    static func list(of item: APISchema, _ about: String = "", most: Int? = nil) -> APISchema {
        var members: [(String, JSONValue)] = [("type", "array"), ("items", item.value)]
        if let most { members.append(("maxItems", .number(most))) }
        return make(members, about)
    }

    static func counts(_ about: String = "") -> APISchema {
        make(
            [("type", "object"), ("additionalProperties", whole(from: 0).value)],
            about
        )
    }

    static func of(_ name: String) -> APISchema {
        APISchema(value: ["$ref": .text("#/components/schemas/\(name)")])
    }

    /// The form, or null, which restores the default.
    var orNull: APISchema { APISchema(value: ["anyOf": [value, ["type": "null"]]]) }

    /// Creates the form of an object.
    ///
    /// A member is optional unless its name ends in `!`.
    ///
    /// `isClosed`: whether other members are refused.
    static func object(
        _ about: String,
        _ members: [(String, APISchema)],
        isClosed: Bool = false
    ) -> APISchema {
        let names = members.filter { $0.0.hasSuffix("!") }.map { String($0.0.dropLast()) }
        let properties = members.map { name, schema in
            (name.hasSuffix("!") ? String(name.dropLast()) : name, schema.value)
        }
        var value: [(String, JSONValue)] = [
            ("type", "object"), ("description", .text(about)), ("properties", .object(properties)),
        ]
        if !names.isEmpty { value.append(("required", .list(names.map { .text($0) }))) }
        if isClosed { value.append(("additionalProperties", false)) }
        return APISchema(value: .object(value))
    }
}
