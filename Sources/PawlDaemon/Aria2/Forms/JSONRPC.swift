internal import PawlCore
internal import PawlWire

/// Reads calls in the form of JSON-RPC 2.0, and writes their results.
enum JSONRPC {
    /// The body of a response, and its status in HTTP.
    struct Answer: Sendable {
        var status = 200
        var body: [UInt8]
    }

    /// The maximum number of values in a body.
    private static let mostValues = 50_000
    /// The maximum number of values in a body whose secret is not known to be valid.
    private static let mostUnknownValues = 1000

    /// Carries out the call, or the batch of calls, in a text.
    static func answer(_ bytes: [UInt8], _ request: inout Aria2Request) async -> Answer {
        guard await mayRead(bytes, &request) else { return answer(.null, .unauthorized) }
        guard let value = read(bytes) else { return answer(.null, .notJSON) }
        return await answer(value, &request)
    }

    /// Whether a text is decoded: a long one needs a secret first, because decoding takes long.
    private static func mayRead(_ bytes: [UInt8], _ request: inout Aria2Request) async -> Bool {
        let values = values(in: bytes)
        guard values > mostUnknownValues || bytes.count > Aria2Request.mostUnknownBytes,
            values <= mostValues
        else { return true }
        return await request.isAuthenticated(bytes)
    }

    /// Returns at least the number of values in a text.
    private static func values(in bytes: [UInt8]) -> Int {
        bytes.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") }
    }

    static func answer(_ value: JSONValue, _ request: inout Aria2Request) async -> Answer {
        switch value {
        case .list(let calls):
            var results: [JSONValue] = []
            // aria2 leaves out what is not a call.
            for case .members(let members) in calls {
                results.append(await result(.members(members), &request).value)
            }
            return Answer(body: JSONWriter.bytes(.list(results)))
        case .members:
            let (result, status) = await result(value, &request)
            return Answer(status: status, body: JSONWriter.bytes(result))
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
        Answer(status: error.status, body: JSONWriter.bytes(failure(id, error)))
    }

    /// Returns a value of strict JSON with limited depth and size; `nil` for any other text.
    private static func read(_ bytes: [UInt8]) -> JSONValue? {
        guard values(in: bytes) <= mostValues, (try? JSONCheck.check(bytes)) != nil else {
            return nil
        }
        // The check has found all faults but numbers out of range.
        return try? WireJSON.decode(JSONValue.self, from: bytes)
    }

    // MARK: - GET

    /// Carries out the call, or the batch of calls, in the query of a GET request.
    ///
    /// A query is short, because the head of a request is.
    static func answer(query: Substring, _ request: inout Aria2Request) async -> Answer {
        guard let call = call(inQuery: query) else { return answer(.null, .notJSON) }
        return await answer(call, &request)
    }

    /// Returns the call in a query; `nil` if it cannot be read.
    ///
    /// `params` is the list of parameters in base64, or a batch if there is no method.
    private static func call(inQuery query: Substring) -> JSONValue? {
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
