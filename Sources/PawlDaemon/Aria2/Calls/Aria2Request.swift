internal import PawlCore

/// Carries out the calls of one request: a single one, a batch, or those of `system.multicall`.
struct Aria2Request {
    private let service: Aria2Service
    private let client: Aria2Client
    /// The secrets that were checked, with their authority.
    private var known: [String: Authority] = [:]
    /// Whether a secret was wrong: then no other one is checked, so that one request cannot try
    /// many.
    private var hasFailed = false
    private var rows = 0
    /// Whether the daemon ends after the response.
    private(set) var endsDaemon = false

    /// The maximum number of items in the lists that one request receives.
    private static let mostRows = 50_000
    /// What the list of methods counts as.
    private static let rowsOfOpen = 100
    private static let multicall = "system.multicall"
    private static let prefix = "token:"

    init(_ service: Aria2Service, _ client: Aria2Client) {
        (self.service, self.client) = (service, client)
    }

    /// Calls a method.
    mutating func call(
        _ name: String,
        _ parameters: [JSONValue]
    ) async throws(Aria2Error) -> JSONValue {
        if name == Self.multicall {
            return try await callEach(of: try Aria2Parameters(parameters).list(0))
        }
        return try await callOne(name, parameters)
    }

    private mutating func callOne(
        _ name: String,
        _ parameters: [JSONValue]
    ) async throws(Aria2Error) -> JSONValue {
        guard rows < Self.mostRows else { throw Aria2Error("The request asks for too much.") }
        if let open = Aria2Method.open[name] {
            rows += Self.rowsOfOpen
            return open
        }
        // As in aria2, a client without a secret does not learn which methods exist.
        let authority = try await authority(parameters.first)
        guard let method = Aria2Method.byName[name] else {
            throw Aria2Error("No such method: \(name.sanitized(atMost: 100))")
        }
        let call = Aria2Call(
            service: service,
            authority: authority,
            parameters: Aria2Parameters(parameters.dropFirst())
        )
        do {
            try method.check(authority)
            let value = try await method.respond(call)
            rows += value.items?.count ?? 1
            endsDaemon = endsDaemon || method.endsDaemon
            return value
        } catch {
            throw Aria2Error.of(error)
        }
    }

    private mutating func authority(_ first: JSONValue?) async throws(Aria2Error) -> Authority {
        guard let text = first?.text, text.hasPrefix(Self.prefix) else { throw .unauthorized }
        let secret = String(text.dropFirst(Self.prefix.count))
        if let authority = known[secret] { return authority }
        guard !hasFailed else { throw .unauthorized }
        guard let authority = try client.authority(of: secret) else {
            hasFailed = true
            await client.delayFailure()
            throw .unauthorized
        }
        known[secret] = authority
        return authority
    }

    /// Returns the result of each call in a list of its own, or its error.
    private mutating func callEach(of calls: [JSONValue]) async throws(Aria2Error) -> JSONValue {
        var results: [JSONValue] = []
        for call in calls {
            do throws(Aria2Error) {
                results.append([try await callMember(call)])
            } catch {
                results.append(error.value)
            }
        }
        return .list(results)
    }

    private mutating func callMember(_ call: JSONValue) async throws(Aria2Error) -> JSONValue {
        guard case .members = call else {
            throw Aria2Error("\(Self.multicall) expected struct.")
        }
        guard let name = call["methodName"]?.text else { throw Aria2Error("Missing methodName.") }
        guard name != Self.multicall else {
            throw Aria2Error("Recursive \(Self.multicall) forbidden.")
        }
        return try await callOne(name, call["params"]?.items ?? [])
    }
}

extension Aria2Error {
    /// The error as a value of JSON.
    var value: JSONValue { ["code": .number(code), "message": .text(message)] }
}
