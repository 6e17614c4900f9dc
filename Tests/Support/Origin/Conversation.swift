import PawlCore
import Synchronization

/// The origin's first action on a new connection.
package enum ConnectionGreeting: Sendable {
    /// Performs the TLS handshake on a TLS origin, then waits for requests.
    case normal
    /// Sends nothing: a TLS handshake never ends, and no request is read.
    case silence
    /// Ends the connection at once.
    case hangUp(Ending)
    /// Sends these bytes instead of a TLS handshake or before any request, then closes.
    case raw([UInt8])
}

/// The consecutive exchanges of one connection.
struct Conversation {
    let server: OriginServer
    let channel: ByteChannel
    let connection: Int
    let greeting: ConnectionGreeting

    func run() {
        do throws(ConnectionEnd) {
            try greet()
            if let tls = server.tls { try channel.startTLS(tls.handle) }
            let reader = RequestReader(channel)
            var ordinal = 0
            while let head = try reader.next() {
                ordinal += 1
                let body = RequestBody(of: head, from: reader)
                guard try answer(head, body, ordinal: ordinal) else { return }
                try body.skip()
            }
            channel.finish(.close)
        } catch {
            // The ledger has the end of the exchange, if there was an exchange.
        }
    }

    private func greet() throws(ConnectionEnd) {
        switch greeting {
        case .normal: return
        case .silence: try channel.waitForClientToLeave()
        case .hangUp(let ending):
            channel.finish(ending)
            throw .cut
        case .raw(let bytes):
            try channel.send(bytes)
            channel.finish(.close)
            throw .cut
        }
    }

    /// Answers a request and returns whether the connection can be reused.
    private func answer(
        _ head: RequestHead,
        _ body: RequestBody,
        ordinal: Int
    ) throws(ConnectionEnd) -> Bool {
        let isLeft = server.routes.withLock { $0.leavesBody(of: head.target) }
        let bytes = isLeft ? [] : try body.readAll()
        // The request is recorded together with the choice of its reply: a test that sees it may
        // let the next one be sent, or change the route.
        let (request, exchange, reply) = server.routes.withLock { routes in
            let request = record(head, bytes, body.trailers, ordinal: ordinal)
            let (exchange, reply) = routes.take(request)
            return (request, exchange, reply)
        }
        let plan = reply.plan(exchange)
        let index = request.number - 1
        if plan.sendsHead, plan.custom == nil {
            server.ledger.update { $0.requests[index].status = plan.status }
        }
        var end = ExchangeEnd.abandoned
        defer {
            for completion in plan.completions { completion() }
            server.ledger.update { [end] in $0.requests[index].end = end }
        }
        do throws(ConnectionEnd) {
            let reuses = try carryOut(plan, exchange, body, index: index)
            end = .completed
            if reuses, head.value("connection")?.lowercased() == "close" {
                channel.finish(.close)
                return false
            }
            return reuses
        } catch {
            end = error == .cut ? .cut : .abandoned
            throw error
        }
    }

    private func record(
        _ head: RequestHead,
        _ body: [UInt8],
        _ trailers: [HTTPField],
        ordinal: Int
    ) -> RecordedRequest {
        let moment = SystemTimekeeper().now()
        return server.ledger.update { snapshot in
            let request = RecordedRequest(
                number: snapshot.requests.count + 1,
                connection: connection,
                ordinalOnConnection: ordinal,
                method: head.method,
                target: head.target,
                fields: head.fields,
                body: body,
                trailers: trailers,
                moment: moment
            )
            snapshot.requests.append(request)
            return request
        }
    }

    private func carryOut(
        _ plan: ResponsePlan,
        _ exchange: OriginExchange,
        _ body: RequestBody,
        index: Int
    ) throws(ConnectionEnd) -> Bool {
        let ledger = server.ledger
        let noteSent = { (count: Int64) in
            ledger.update { $0.requests[index].bodyBytesSent += count }
        }
        guard let custom = plan.custom else {
            var writer = ResponseWriter(channel: channel, plan: plan, noteSent: noteSent)
            return try writer.write(method: exchange.request.method)
        }
        do {
            let connection = OriginConnection(
                channel: channel,
                body: body,
                noteSent: noteSent,
                noteReceived: { [keepsBodies = server.keepsBodies] bytes in
                    ledger.update {
                        if keepsBodies { $0.requests[index].body += bytes }
                        $0.requests[index].trailers = body.trailers
                    }
                }
            )
            try custom(exchange, connection)
            return true
        } catch {
            throw error as? ConnectionEnd ?? .abandoned
        }
    }
}
