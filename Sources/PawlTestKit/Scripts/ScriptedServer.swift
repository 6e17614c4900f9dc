internal import PawlCore
internal import Synchronization
public import struct FoundationEssentials.URL

/// A server whose responses a test scripts, for sessions that use no network.
///
/// ```swift
/// let server = ScriptedServer()
/// server.respond(to: url, with: .text(#"{"name": "first"}"#))
/// let session = DownloadSession(SessionConfiguration.ephemeral.scripted(by: server))
/// ```
///
/// It answers the requests to every host. Several sessions can share one server. A request without
/// a scripted response fails with the code `.usage` and a message that contains its URL.
public final class ScriptedServer: Sendable {
    /// A closure that returns the response to a request; `nil` if it has none.
    public typealias Handler = @Sendable (ScriptedRequest) -> ScriptedResponse?

    private struct State {
        var scripts: [String: [ScriptedResponse]] = [:]
        var requests: [ScriptedRequest] = []
        var counts: [String: Int] = [:]
        var waiters: [Wakeup] = []
    }

    let time: any Timekeeper
    private let handler: Handler?
    private let state = Mutex(State())

    /// Creates a server without scripted responses.
    ///
    /// `clockSpeed` is the speed of the sessions' clock as a multiple of the system's: 1 by default,
    /// at most a million. With a higher one, the waits between retries, time limits and rate limits
    /// take less time. `handler` answers the requests to URLs for which `respond(to:with:)` was not
    /// called; it may be called on several threads at the same time.
    public init(clockSpeed: Int = 1, handler: Handler? = nil) {
        time = HurriedTimekeeper(factor: clockSpeed)
        self.handler = handler
    }

    /// Sets the responses to the requests for a URL.
    ///
    /// The first request from now on receives `first`, and so on; the last response repeats. They
    /// replace earlier ones. A user and a fragment of the URL are ignored, its query is not.
    public func respond(
        to url: URL,
        with first: ScriptedResponse,
        _ others: ScriptedResponse...
    ) {
        state.withLock { $0.scripts[Self.key(of: url)] = [first] + others }
    }

    /// All requests so far, in order.
    public var requests: [ScriptedRequest] { state.withLock { $0.requests } }

    /// Waits until the server has received `count` requests in total, or the task is cancelled.
    ///
    /// Returns all requests so far.
    @discardableResult
    public func waitForRequests(_ count: Int) async -> [ScriptedRequest] {
        let wakeup = Wakeup()
        state.withLock { $0.waiters.append(wakeup) }
        defer { state.withLock { state in state.waiters.removeAll { $0 === wakeup } } }
        while true {
            let requests = requests
            guard requests.count < count, !Task.isCancelled else { return requests }
            await wakeup.wait()
        }
    }

    /// Records a request, and returns it with its scripted response.
    func receive(_ request: TransferRequest) -> (ScriptedRequest, ScriptedResponse?) {
        let key = Self.key(of: request.url)
        let (received, response, waiters) = state.withLock { state in
            state.counts[key, default: 0] += 1
            let received = ScriptedRequest(request, number: state.counts[key, default: 1])
            state.requests.append(received)
            var response: ScriptedResponse?
            if let script = state.scripts[key], let first = script.first {
                response = first
                if script.count > 1 { state.scripts[key]?.removeFirst() }
            }
            return (received, response, state.waiters)
        }
        for waiter in waiters { waiter.send() }
        return (received, response)
    }

    /// Returns the handler's response to a request without a scripted one.
    func answer(_ request: ScriptedRequest) -> ScriptedResponse? { handler?(request) }

    /// The URL as it is requested.
    private static func key(of url: URL) -> String { AddressParts(url.absoluteString).requestText }
}
