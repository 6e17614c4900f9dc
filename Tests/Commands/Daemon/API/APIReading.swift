import Testing

/// The daemon's own document, read by a test.
struct APIReading: Sendable {
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

        func answer(_ status: Int) -> JSONTree? { value["responses"]?["\(status)"] }

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

    init(_ text: String) throws { tree = try JSONTree(parsing: text) }

    /// By path, then method.
    var operations: [Operation] {
        let paths = tree["paths"]?.members ?? [:]
        return paths.sorted { $0.key < $1.key }.flatMap { path, item in
            item.members.sorted { $0.key < $1.key }.map { method, value in
                Operation(method: method.uppercased(), path: path, value: value)
            }
        }
    }

    var schemas: [String: JSONTree] { tree["components"]?["schemas"]?.members ?? [:] }

    // MARK: - What a value has to be

    /// The differences between a value and a schema; empty if there are none.
    func faults(_ value: JSONTree, in schema: JSONTree, at place: String = "$") -> [String] {
        if let name = schema["$ref"]?.text?.split(separator: "/").last {
            guard let schema = schemas[String(name)] else { return ["no schema \(name)"] }
            return faults(value, in: schema, at: place)
        }
        if let choices = schema["anyOf"]?.items {
            let isOne = choices.contains { faults(value, in: $0, at: place).isEmpty }
            return isOne ? [] : ["\(place): none of \(choices.count)"]
        }
        if let words = schema["enum"]?.items, !words.contains(value) {
            return ["\(place): \(value) is no such word"]
        }
        switch (schema["type"]?.text, value) {
        case ("object", .object(let members)): return faults(members, in: schema, at: place)
        case ("array", .list(let items)):
            guard let item = schema["items"] else { return [] }
            return items.enumerated().flatMap { faults($1, in: item, at: "\(place)[\($0)]") }
        case ("integer", .number(let number)):
            let least = schema["minimum"]?.number ?? -.infinity
            return number == number.rounded() && number >= least ? [] : ["\(place): \(number)"]
        case ("string", .text), ("number", .number), ("boolean", .truth), ("null", .null): return []
        default: return ["\(place): \(value) is no \(schema["type"]?.text ?? "known type")"]
        }
    }

    private func faults(
        _ members: [String: JSONTree],
        in schema: JSONTree,
        at place: String
    ) -> [String] {
        let known = schema["properties"]?.members ?? [:]
        let others = schema["additionalProperties"]
        var faults = (schema["required"]?.items ?? []).compactMap(\.text)
            .filter { members[$0] == nil }.map { "\(place).\($0) is missing" }
        for (name, value) in members {
            if let own = known[name] ?? (others?["type"] == nil ? nil : others) {
                faults += self.faults(value, in: own, at: "\(place).\(name)")
            } else {
                // A member that the document does not describe is a fault.
                faults.append("\(place).\(name) is not in the document")
            }
        }
        return faults
    }
}
