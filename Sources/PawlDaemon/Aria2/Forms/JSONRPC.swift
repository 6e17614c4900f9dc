internal import PawlCore
internal import PawlWire

/// Reads calls in the form of JSON-RPC 2.0, and writes their results.
enum JSONRPC {
    /// The body of a response, and its status in HTTP.
    struct Answer: Sendable {
        var status = 200
        var body: [UInt8]
    }

    /// The maximum number of values in a body, which is read before its secret is checked.
    private static let mostValues = 50_000

    /// Carries out the call, or the batch of calls, in a text.
    static func answer(_ bytes: [UInt8], _ request: inout Aria2Request) async -> Answer {
        guard let value = read(bytes) else { return answer(.null, .notJSON) }
        return await answer(value, &request)
    }

    static func answer(_ value: JSONValue, _ request: inout Aria2Request) async -> Answer {
        switch value {
        case .list(let calls):
            var results: [JSONValue] = []
            // aria2 leaves out what is no call.
            for case .members(let members) in calls {
                results.append(await result(.members(members), &request).value)
            }
            return Answer(body: JSONText.bytes(.list(results)))
        case .members:
            let (result, status) = await result(value, &request)
            return Answer(status: status, body: JSONText.bytes(result))
        default: return answer(.null, .notJSON)
        }
    }

    private static func result(
        _ call: JSONValue,
        _ request: inout Aria2Request
    ) async -> (value: JSONValue, status: Int) {
        let id = call["id"]
        do throws(Aria2Error) {
            guard let id, let name = call["method"]?.text else { throw .invalidRequest }
            let parameters = call["params"] ?? []
            guard let list = parameters.items else { throw .invalidParameters }
            let value = try await request.call(name, list)
            return (["id": id, "jsonrpc": "2.0", "result": value], 200)
        } catch {
            return (failure(id ?? .null, error), error.status)
        }
    }

    private static func failure(_ id: JSONValue, _ error: Aria2Error) -> JSONValue {
        ["id": id, "jsonrpc": "2.0", "error": error.value]
    }

    private static func answer(_ id: JSONValue, _ error: Aria2Error) -> Answer {
        Answer(status: error.status, body: JSONText.bytes(failure(id, error)))
    }

    /// Returns a value of strict JSON with limited depth and size; `nil` for any other text.
    static func read(_ bytes: [UInt8]) -> JSONValue? {
        let values = bytes.count(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") })
        guard values <= mostValues, (try? JSONCheck.check(bytes)) != nil else { return nil }
        // The check has found all faults but numbers out of range.
        return try? WireJSON.decode(JSONValue.self, from: bytes)
    }

    // MARK: - GET

    /// Returns the call in the query of a GET request; `nil` if it cannot be read.
    ///
    /// `params` is the list of parameters in base64, or a batch if there is no method.
    static func call(inQuery query: Substring) -> JSONValue? {
        var values: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(parts[0])] = parts.count > 1 ? parts[1].percentDecoded : ""
        }
        var parameters: JSONValue?
        if let text = values["params"] {
            guard let bytes = [UInt8](base64: text), let value = read(bytes) else { return nil }
            parameters = value
        }
        if values["method"] == nil, let parameters { return parameters }
        var members: [(String, JSONValue)] = []
        if let id = values["id"] { members.append(("id", .text(id))) }
        if let method = values["method"] { members.append(("method", .text(method))) }
        if let parameters { members.append(("params", parameters)) }
        return .object(members)
    }
}
