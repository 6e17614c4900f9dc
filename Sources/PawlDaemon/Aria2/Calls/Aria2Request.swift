internal import PawlCore

/// Carries out the calls of one request: a single one, a batch, or those of `system.multicall`.
struct Aria2Request {
    private let service: Aria2Service
    private let client: Aria2Client
    /// The address of the client.
    private let address: IPAddress?
    /// The secrets that were checked, with their authority.
    private var known: [String: Authority] = [:]
    /// Whether a secret was wrong: then no other one is checked, so that one request cannot try
    /// many.
    private var hasFailed = false
    private var rows = 0
    /// The number of bytes that the results may still have.
    private var room = mostBytes
    /// Whether the daemon ends after the response.
    private(set) var endsDaemon = false

    /// The maximum number of items in the lists that one request receives.
    private static let mostRows = 50_000
    /// The maximum size of the results of one request.
    private static let mostBytes = 32 << 20
    /// What an abbreviated GID counts as: it is compared with those of all downloads.
    private static let rowsOfAbbreviation = 1000
    /// What the list of methods counts as.
    private static let rowsOfOpen = 100
    /// The maximum size of a body whose secret is not known to be valid before it is decoded.
    static let mostUnknownBytes = 64 << 10
    private static let multicall = "system.multicall"
    private static let prefix = "token:"
    private static let mostSecretBytes = 1024

    init(_ service: Aria2Service, _ client: Aria2Client, from address: IPAddress?) {
        (self.service, self.client, self.address) = (service, client, address)
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
        guard rows < Self.mostRows, room > 0 else { throw .tooMuch }
        if let open = Aria2Method.open[name] {
            rows += Self.rowsOfOpen
            room -= JSONWriter.size(of: open)
            return open
        }
        let method = Aria2Method.byName[name]
        let changed = ChangedDownloads()
        let given: Authority
        do throws(Aria2Error) {
            given = try await authority(parameters.first)
        } catch {
            record(method, .nobody, changed, status: 401)
            throw error
        }
        // As in aria2, a client without a secret does not learn which methods exist.
        guard let method else {
            throw Aria2Error("No such method: \(name.sanitized(atMost: 100))")
        }
        let call = Aria2Call(
            service: service,
            authority: given,
            parameters: Aria2Parameters(parameters.dropFirst()),
            changed: changed,
            room: room
        )
        if call.parameters.beginWithAbbreviation { rows += Self.rowsOfAbbreviation }
        do {
            try method.check(given)
            let value = try await method.respond(call)
            rows += value.items?.count ?? 1
            room -= JSONWriter.size(of: value)
            guard room >= 0 else { throw Aria2Error.tooMuch }
            endsDaemon = endsDaemon || method.endsDaemon
            record(method, given, changed, status: 200)
            return value
        } catch {
            let isRefused = (error as? DownloadError)?.code == .notAllowed
            record(method, given, changed, status: isRefused ? 403 : 400)
            throw Aria2Error.of(error)
        }
    }

    /// Records a call that changes something in the audit log.
    private func record(
        _ method: Aria2Method?,
        _ authority: Authority,
        _ changed: ChangedDownloads,
        status: Int
    ) {
        guard let method, method.changes else { return }
        service.audit.record(
            method.name,
            by: authority,
            at: address,
            changed: changed.ids,
            status: status
        )
    }

    /// Whether the client is authenticated: by an earlier request on its connection, or by the first
    /// secret in the text of this one, which has not been read yet.
    mutating func isAuthenticated(_ bytes: [UInt8]) async -> Bool {
        if client.isAuthenticated { return true }
        guard let secret = Self.secret(in: bytes) else { return false }
        return (try? await authority(.text(Self.prefix + secret))) != nil
    }

    /// Returns the text after the first `token:`, up to a byte that JSON or XML would write in
    /// another way.
    private static func secret(in bytes: [UInt8]) -> String? {
        guard let mark = bytes.firstRange(of: Array(prefix.utf8)) else { return nil }
        let ends = Set("\"<\\& ".utf8)
        let secret = bytes[mark.upperBound...].prefix(mostSecretBytes).prefix {
            !ends.contains($0)
        }
        return secret.isEmpty ? nil : String(decoding: secret, as: UTF8.self)
    }

    private mutating func authority(_ first: JSONValue?) async throws(Aria2Error) -> Authority {
        guard let text = first?.text, text.hasPrefix(Self.prefix) else { throw .unauthorized }
        let secret = String(text.dropFirst(Self.prefix.count))
        if let authority = known[secret] { return authority }
        guard !hasFailed else { throw .unauthorized }
        guard let authority = try client.authority(of: secret) else {
            hasFailed = true
            await client.delayFailure(by: address)
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
