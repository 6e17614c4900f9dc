internal import PawlCore

/// Replies that choose among others.
extension Reply {
    /// Answers the n-th request of the route with the n-th reply; the last reply repeats.
    package static func sequence(_ replies: [Reply]) -> Reply {
        Reply { exchange in
            guard let last = replies.last else { return status(404).plan(exchange) }
            let index = exchange.ordinal - 1
            return (index < replies.count ? replies[index] : last).plan(exchange)
        }
    }

    /// Uses another reply from the route's n-th request on, counted from 1.
    package func from(request first: Int, _ reply: Reply) -> Reply {
        choosing(reply) { $0.ordinal >= first }
    }

    /// Uses another reply for range requests.
    package func forRanges(_ reply: Reply) -> Reply { choosing(reply) { $0.range != nil } }

    /// Uses another reply on connections whose number (from 1, over the whole origin) meets a
    /// condition.
    package func forConnections(
        _ reply: Reply,
        where isMeant: @escaping @Sendable (_ connection: Int) -> Bool
    ) -> Reply {
        choosing(reply) { isMeant($0.request.connection) }
    }

    /// Uses another reply for requests that meet a condition.
    package func choosing(
        _ reply: Reply,
        where isMeant: @escaping @Sendable (OriginExchange) -> Bool
    ) -> Reply {
        Reply { (isMeant($0) ? reply : self).plan($0) }
    }

    /// Uses the reply that the closure makes for each connection, by its number (from 1).
    package static func byConnection(
        _ reply: @escaping @Sendable (_ connection: Int) -> Reply
    ) -> Reply {
        Reply { reply($0.request.connection).plan($0) }
    }

    /// Uses the reply that the closure makes for each request.
    package static func each(_ reply: @escaping @Sendable (OriginExchange) -> Reply) -> Reply {
        Reply { reply($0).plan($0) }
    }

    /// Answers 401 unless `Authorization` equals the given value.
    package func requireAuthorization(
        _ expected: String,
        challenge: String = "Basic realm=\"origin\""
    ) -> Reply {
        let refusal = Reply.status(
            401,
            fields: [("WWW-Authenticate", challenge)],
            body: "who are you?\n"
        )
        return choosing(refusal) { $0.request["Authorization"] != expected }
    }

    /// Answers 401 unless the request has these Basic credentials (RFC 7617).
    package func requireBasic(name: String, password: String) -> Reply {
        requireAuthorization("Basic " + Base64.text(Array("\(name):\(password)".utf8)))
    }

    /// Serves the first requests for each target, with its query, and then answers the given
    /// status.
    ///
    /// This simulates a signed URL that expires.
    package func expireAfter(requests count: Int, status: Int = 403) -> Reply {
        choosing(.status(status, body: "expired\n")) { $0.targetOrdinal > count }
    }

    /// Answers up to `limit` requests at the same time, and further ones with another reply.
    package func atMost(
        connections limit: Int,
        else refusal: Reply = .status(503, body: "too many\n")
    ) -> Reply {
        admitted(by: HostGate(limit: limit), else: refusal)
    }

    /// Answers requests that the gate admits, over all replies that share it, and others with
    /// another reply.
    package func admitted(
        by gate: HostGate,
        else refusal: Reply = .status(503, body: "too many\n")
    ) -> Reply {
        Reply { exchange in
            guard gate.enter() else { return refusal.plan(exchange) }
            var plan = plan(exchange)
            let isInside = Observed(true)
            let leave: @Sendable () -> Void = {
                let isFirst = isInside.update { isInside in
                    defer { isInside = false }
                    return isInside
                }
                if isFirst { gate.leave() }
            }
            // Before the last byte: after it, the client's next request may arrive before this
            // thread runs again.
            plan.marks.append(BodyMark(after: max(0, plan.bodyLength - 1), .call(leave)))
            plan.completions.append(leave)
            return plan
        }
    }
}
