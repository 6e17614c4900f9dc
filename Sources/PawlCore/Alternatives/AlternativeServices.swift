internal import Synchronization

/// The alternative services of origins, in memory, as servers name them (RFC 7838).
package final class AlternativeServices: Sendable {
    private struct State {
        var list: AlternativeServiceList
        /// Until when alternatives that have failed are not used.
        var failures: [AlternativeService.Endpoint: Int64] = [:]
        var observer: (@Sendable () -> Void)?
    }

    /// The time in seconds for which an alternative that has failed is not used.
    private static let failureSeconds: Int64 = 300
    /// The number of remembered failures.
    private static let mostFailures = 1_000

    private let state: Mutex<State>

    package init(_ list: AlternativeServiceList = AlternativeServiceList()) {
        state = Mutex(State(list: list))
    }

    package var list: AlternativeServiceList { state.withLock { $0.list } }

    /// Calls the closure after each change, on the thread that made it.
    package func observe(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Returns the alternative to which a request goes; `nil` for the server of its URL.
    ///
    /// An alternative is used only with the protocol that its server has named (RFC 7838 §2).
    package func service(for request: TransferRequest, at now: Int64) -> AlternativeService? {
        guard let origin = AlternativeServiceList.origin(of: request.url),
            request.connection.socketPath == nil,
            // An address that the user has given comes first.
            !request.connection.fixedAddresses.contains(where: { $0.applies(to: origin) })
        else { return nil }
        let version = request.alternativeVersion
        return state.withLock { state in
            state.list.services(of: origin, at: now).first { service in
                service.version == version && service.endpoint != origin
                    && (state.failures[service.endpoint] ?? .min) <= now
            }
        }
    }

    /// Keeps an alternative from being used for some minutes.
    package func noteFailure(of service: AlternativeService, at now: Int64) {
        state.withLock { state in
            if state.failures.count >= Self.mostFailures {
                state.failures = state.failures.filter { $0.value > now }
                if state.failures.count >= Self.mostFailures { state.failures = [:] }
            }
            state.failures[service.endpoint] = now + Self.failureSeconds
        }
    }

    /// Notes the alternatives that the response of a server names, if it was received over TLS.
    package func learn(from head: ResponseHead, at now: Int64) {
        let fields = head.values("Alt-Svc")
        guard !fields.isEmpty, let origin = AlternativeServiceList.origin(of: head.url),
            // Such a server is not authoritative for the origin (RFC 7838 §6).
            head.status != 421,
            let field = AlternativeServicesField(fields.joined(separator: ", "))
        else { return }
        let observer = state.withLock { state in
            state.list.learn(field, from: origin, at: now) ? state.observer : nil
        }
        observer?()
    }
}

extension TransferRequest {
    /// The protocol with which the request is sent over TLS.
    fileprivate var alternativeVersion: AlternativeService.Version {
        let sharesConnection = connection.authentication != .negotiate
        switch connection.httpVersion {
        case .http1: return .http1
        case .http3: return .http3
        case .http2: return sharesConnection ? .http2 : .http1
        case nil: return multiplexes && sharesConnection ? .http2 : .http1
        }
    }
}

extension FixedAddress {
    /// Whether this entry is the address of a host and port.
    package func applies(to endpoint: AlternativeService.Endpoint) -> Bool {
        (host ?? endpoint.host) == endpoint.host && (port ?? endpoint.port) == endpoint.port
    }
}
