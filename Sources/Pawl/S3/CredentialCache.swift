internal import PawlCore
internal import Synchronization
internal import struct FoundationEssentials.URL

/// The credentials that services have provided, until they end.
package final class CredentialCache: Sendable {
    typealias Answer = Result<S3Credentials?, TransferFailure>
    typealias Waiter = @Sendable (Answer) -> Void

    private enum Entry {
        case asking([Waiter])
        case known(S3Credentials?, until: Int64)
    }

    /// The time before their end when credentials are requested again.
    private static let reserve: Int64 = 300
    /// The shortest time for which credentials are kept, because a service may provide the same
    /// ones until they end.
    private static let shortestUse: Int64 = 60
    /// The time for which a machine without credentials is not asked again, and the time for which
    /// credentials without an end are kept.
    private static let interval: Int64 = 300
    static let connectTimeout: Duration = .seconds(1)
    static let answerTimeout: Duration = .seconds(5)
    private static let mostBytes = 64 << 10

    private let transport: any Transport
    private let entries = Mutex<[CredentialService: Entry]>([:])

    init(_ transport: any Transport) { self.transport = transport }

    /// Calls `then` with the credentials of a service, at once or after it has answered.
    func get(_ service: CredentialService, at now: Int64, then: @escaping Waiter) {
        let (answer, begins) = entries.withLock { entries -> (Answer?, Bool) in
            switch entries[service] {
            case .known(let credentials, let end)? where now < end:
                return (.success(credentials), false)
            case .asking(let waiters)?:
                entries[service] = .asking(waiters + [then])
                return (nil, false)
            case .known?, nil:
                entries[service] = .asking([then])
                return (nil, true)
            }
        }
        if let answer { return then(answer) }
        guard begins else { return }
        let inquiry = CredentialInquiry(service)
        follow(inquiry.begin(), inquiry, now: now, of: service)
    }

    /// Drops credentials that a server has refused, unless the service has provided others since.
    func forget(_ credentials: S3Credentials?, of service: CredentialService) {
        entries.withLock { entries in
            if case .known(credentials, _)? = entries[service] { entries[service] = nil }
        }
    }

    /// Returns when a service is asked again after it was asked at `now`.
    package static func renewal(of credentials: S3Credentials?, at now: Int64) -> Int64 {
        guard let end = credentials?.expiry else { return now + interval }
        return max(max(0, end) - reserve, now + shortestUse)
    }

    private func follow(
        _ step: CredentialInquiry.Step,
        _ inquiry: CredentialInquiry,
        now: Int64,
        of service: CredentialService
    ) {
        switch step {
        case .ask(let method, let url, let fields):
            var request = TransferRequest(url: url)
            request.method = method
            request.fields = fields
            // The service is on this machine or next to it, behind no proxy.
            request.connection.proxy = .none
            request.connection.connectTimeout = Self.connectTimeout
            request.maximumDuration = Self.answerTimeout
            let sink = ServiceReplySink(mostBytes: Self.mostBytes) { [self] reply in
                var inquiry = inquiry
                let isComplete = reply.outcome == .completed
                let next = inquiry.answered(
                    isComplete ? reply.head?.status : nil,
                    isComplete ? reply.body : []
                )
                follow(next, inquiry, now: now, of: service)
            }
            _ = transport.start(request, sink: sink)
        case .end(let credentials):
            let end = Self.renewal(of: credentials, at: now)
            settle(service, .success(credentials), .known(credentials, until: end))
        case .fail(let failure): settle(service, .failure(failure), nil)
        }
    }

    private func settle(_ service: CredentialService, _ answer: Answer, _ entry: Entry?) {
        let waiters = entries.withLock { entries -> [Waiter] in
            defer { entries[service] = entry }
            if case .asking(let waiters)? = entries[service] { return waiters }
            return []
        }
        for waiter in waiters { waiter(answer) }
    }
}
