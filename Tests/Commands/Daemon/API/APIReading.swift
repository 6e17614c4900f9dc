import PawlCore
import Testing

/// The description of the API, read by a test.
struct APIReading: Sendable {
    /// The names of the operations that only the user at the socket may perform.
    static let closedOverTCP: Set = [
        "resumeData", "listRequests", "errorResponse", "makeLoginCode", "listTokens", "makeToken",
        "revokeToken", "listForeignUploads",
    ]

    struct Operation: Sendable {
        var method: String
        var path: String
        var value: JSONTree

        var name: String { value["operationId"]?.text ?? "" }
        var needsToken: Bool { value["security"] == nil }

        /// With something in place of its parameters.
        var filledPath: String {
            path.replacing("{id}", with: "1").replacing("{action}", with: "pause")
        }

        /// The name of the schema of its body; `nil` if it has no body.
        var body: String? { value["requestBody"].flatMap(Self.schema) }

        /// The description of an answer; `nil` if an answer with this status is not described.
        func answer(_ status: Int) -> JSONTree? {
            if let own = value["responses"]?["\(status)"] { return own }
            let general = value["responses"]?["default"]
            let statuses = general?["x-statuses"]?.items ?? []
            return statuses.contains(.number(Double(status))) ? general : nil
        }

        var success: (status: Int, answer: JSONTree)? {
            let found = value["responses"]?.members.first { $0.key.hasPrefix("2") }
            return found.flatMap { key, value in Int(key).map { ($0, value) } }
        }

        static func schema(_ value: JSONTree) -> String? {
            let content = value["content"]?.members.values.first
            return content?["schema"]?["$ref"]?.text?.split(separator: "/").last.map(String.init)
        }
    }

    let tree: JSONTree

    /// The folder of openapi.yaml.
    static let folder = "../../Sources/PawlDaemon/API"

    init(_ text: String) throws { tree = try JSONTree(yaml: text) }

    /// Reads openapi.yaml.
    static func document() throws -> APIReading {
        try APIReading(Snapshot.text(of: "openapi.yaml", folder: folder))
    }

    /// By path, then method.
    var operations: [Operation] {
        let paths = tree["paths"]?.members ?? [:]
        return paths.sorted { $0.key < $1.key }.flatMap { path, item in
            item.members.sorted { $0.key < $1.key }.map { method, value in
                Operation(method: method.uppercased(), path: path, value: resolved(value))
            }
        }
    }

    /// An operation with the shared responses in place of the references to them.
    private func resolved(_ operation: JSONTree) -> JSONTree {
        var members = operation.members
        let shared = tree["components"]?["responses"]?.members ?? [:]
        let responses = (members["responses"]?.members ?? [:]).mapValues { response in
            response["$ref"]?.text?.split(separator: "/").last.flatMap { shared[String($0)] }
                ?? response
        }
        members["responses"] = .object(responses)
        return .object(members)
    }

    var schemas: [String: JSONTree] { tree["components"]?["schemas"]?.members ?? [:] }

    /// The members that objects of a schema may have; `nil` if the schema allows others.
    func knownMembers(of schema: JSONTree) -> KnownMembers? {
        if let name = schema["$ref"]?.text?.split(separator: "/").last {
            return schemas[String(name)].flatMap(knownMembers)
        }
        if let first = schema["anyOf"]?.items.first { return knownMembers(of: first) }
        if let item = schema["items"] { return knownMembers(of: item) }
        guard schema["additionalProperties"] == .truth(false) else { return nil }
        let members = schema["properties"]?.members ?? [:]
        return KnownMembers(Array(members.keys), objects: members.compactMapValues(knownMembers))
    }

    // MARK: - What a value has to be

    /// The differences between a value and a schema; empty if there are none.
    func faults(_ value: JSONTree, in schema: JSONTree, at location: String = "$") -> [String] {
        if let name = schema["$ref"]?.text?.split(separator: "/").last {
            guard let schema = schemas[String(name)] else { return ["no schema \(name)"] }
            return faults(value, in: schema, at: location)
        }
        if let choices = schema["anyOf"]?.items {
            let isOne = choices.contains { faults(value, in: $0, at: location).isEmpty }
            return isOne ? [] : ["\(location): none of \(choices.count)"]
        }
        if let words = schema["enum"]?.items, !words.contains(value) {
            return ["\(location): \(value) is no such word"]
        }
        switch (schema["type"]?.text, value) {
        case ("object", .object(let members)): return faults(members, in: schema, at: location)
        case ("array", .list(let items)):
            guard let item = schema["items"] else { return [] }
            return items.enumerated().flatMap { faults($1, in: item, at: "\(location)[\($0)]") }
        case ("integer", .number(let number)):
            let least = schema["minimum"]?.number ?? -.infinity
            return number == number.rounded() && number >= least ? [] : ["\(location): \(number)"]
        case ("string", .text), ("number", .number), ("boolean", .truth), ("null", .null): return []
        default: return ["\(location): \(value) is no \(schema["type"]?.text ?? "known type")"]
        }
    }

    private func faults(
        _ members: [String: JSONTree],
        in schema: JSONTree,
        at location: String
    ) -> [String] {
        let known = schema["properties"]?.members ?? [:]
        let others = schema["additionalProperties"]
        var faults = (schema["required"]?.items ?? []).compactMap(\.text)
            .filter { members[$0] == nil }.map { "\(location).\($0) is missing" }
        for (name, value) in members {
            if let own = known[name] ?? (others?["type"] == nil ? nil : others) {
                faults += self.faults(value, in: own, at: "\(location).\(name)")
            } else {
                // A member that the document does not describe is a fault.
                faults.append("\(location).\(name) is not in the document")
            }
        }
        return faults
    }
}
