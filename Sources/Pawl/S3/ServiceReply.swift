package import PawlCore
internal import Synchronization

/// The whole response to a request whose response is short.
package struct ServiceReply: Sendable {
    /// `nil` if none was received.
    package let head: ResponseHead?
    package let body: [UInt8]
    package let outcome: TransferOutcome

    package init(head: ResponseHead?, body: [UInt8] = [], outcome: TransferOutcome = .completed) {
        (self.head, self.body, self.outcome) = (head, body, outcome)
    }
}

/// Collects a short response, and passes it on as a whole.
///
/// A longer one ends with `.stopped`.
final class ServiceReplySink: TransferSink {
    private struct Received {
        var head: ResponseHead?
        var body: [UInt8] = []
    }

    private let mostBytes: Int
    private let received = Mutex(Received())
    private let then: @Sendable (ServiceReply) -> Void

    init(mostBytes: Int, then: @escaping @Sendable (ServiceReply) -> Void) {
        (self.mostBytes, self.then) = (mostBytes, then)
    }

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        received.withLock { $0.head = head }
        return .take
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        received.withLock { received in
            guard received.body.count + bytes.count <= mostBytes else { return .stop }
            received.body += bytes
            return .more
        }
    }

    func transferEnded(_ end: TransferEnd) {
        let received = received.withLock { $0 }
        then(ServiceReply(head: received.head, body: received.body, outcome: end.outcome))
    }
}

extension Transport {
    /// Sends a request and returns its short response.
    ///
    /// The exchange ends with `.cancelled` if the task is cancelled.
    package func reply(
        to request: TransferRequest,
        mostBytes: Int = 8 << 20
    ) async -> ServiceReply {
        let reply = Completion<ServiceReply>()
        let running = Mutex(RunningTransfer())
        return await withTaskCancellationHandler {
            let sink = ServiceReplySink(mostBytes: mostBytes) { reply.complete(with: $0) }
            let transfer = start(request, sink: sink)
            running.withLock { $0.begin(transfer) }.make(to: transfer)
            return await reply.waitIgnoringCancellation()
        } onCancel: {
            running.withLock { $0.cancel() }?.cancel()
        }
    }
}
