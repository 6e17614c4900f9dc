/// Replies that choose among others.
extension Reply {
    /// The n-th reply to the route's n-th request; the last one repeats.
    package static func sequence(_ replies: [Reply]) -> Reply {
        Reply { exchange in
            guard let last = replies.last else { return status(404).plan(exchange) }
            let index = exchange.ordinal - 1
            return (index < replies.count ? replies[index] : last).plan(exchange)
        }
    }

    /// Another reply from the route's n-th request on, counted from 1.
    package func from(request first: Int, _ reply: Reply) -> Reply {
        choosing(reply) { $0.ordinal >= first }
    }

    /// Another reply where a range was asked for.
    package func forRanges(_ reply: Reply) -> Reply { choosing(reply) { $0.range != nil } }

    /// Another reply on connections for whose number (from 1, over the whole origin) this holds.
    package func forConnections(
        _ reply: Reply,
        where isMeant: @escaping @Sendable (_ connection: Int) -> Bool
    ) -> Reply {
        choosing(reply) { isMeant($0.request.connection) }
    }

    /// Another reply to requests for which this holds.
    package func choosing(
        _ reply: Reply,
        where isMeant: @escaping @Sendable (OriginExchange) -> Bool
    ) -> Reply {
        Reply { (isMeant($0) ? reply : self).plan($0) }
    }

    /// The reply that the closure makes for each connection, by its number (from 1).
    package static func byConnection(
        _ reply: @escaping @Sendable (_ connection: Int) -> Reply
    ) -> Reply {
        Reply { reply($0.request.connection).plan($0) }
    }

    /// The reply that the closure makes for each request.
    package static func each(_ reply: @escaping @Sendable (OriginExchange) -> Reply) -> Reply {
        Reply { reply($0).plan($0) }
    }

    /// 401 unless `Authorization` is exactly that.
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

    /// 401 unless these Basic credentials (RFC 7617) come.
    package func requireBasic(name: String, password: String) -> Reply {
        requireAuthorization("Basic " + Base64.text(Array("\(name):\(password)".utf8)))
    }

    /// Serves the first requests of each target (query included) and then that status: a signed
    /// URL that expires.
    package func expireAfter(requests count: Int, status: Int = 403) -> Reply {
        choosing(.status(status, body: "expired\n")) { $0.targetOrdinal > count }
    }

    /// Answers so many requests at once, and those above with another reply.
    package func atMost(
        connections limit: Int,
        else refusal: Reply = .status(503, body: "too many\n")
    ) -> Reply {
        admitted(by: HostGate(limit: limit), else: refusal)
    }

    /// Answers as many requests at once as the gate lets in, over all replies that share it, and
    /// those above with another reply.
    package func admitted(
        by gate: HostGate,
        else refusal: Reply = .status(503, body: "too many\n")
    ) -> Reply {
        Reply { exchange in
            guard gate.enter() else { return refusal.plan(exchange) }
            var plan = plan(exchange)
            plan.completions.append { gate.leave() }
            return plan
        }
    }
}
