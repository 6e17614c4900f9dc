import PawlCore

/// A response of the origin, as a function from a request to a plan.
///
/// A reply is a basic reply (`.resource(…)`, `.status(…)`, `.raw(…)`) or a choice among several,
/// changed by any number of modifiers: `.resource(disk).rate(1_000_000).afterBytes(3 << 20,
/// .reset)`.
package struct Reply: Sendable {
    package let plan: @Sendable (OriginExchange) -> ResponsePlan

    package init(_ plan: @escaping @Sendable (OriginExchange) -> ResponsePlan) {
        self.plan = plan
    }

    /// Changes the plan of this reply before the plan is carried out.
    package func changed(
        _ change: @escaping @Sendable (inout ResponsePlan, OriginExchange) -> Void
    ) -> Reply {
        Reply { exchange in
            var plan = plan(exchange)
            change(&plan, exchange)
            return plan
        }
    }

    /// Changes the request that this reply sees.
    package func believing(_ change: @escaping @Sendable (inout OriginExchange) -> Void) -> Reply {
        Reply { exchange in
            var exchange = exchange
            change(&exchange)
            return plan(exchange)
        }
    }
}

extension Reply {
    /// Serves the resource correctly: 200, 206 for one range, 416, with If-Range honoured.
    package static func resource(_ resource: Resource) -> Reply {
        Reply { ResourcePlanner(resource: $0.replacement ?? resource, exchange: $0).plan() }
    }

    /// Sends a status with a short body.
    package static func status(
        _ status: Int,
        fields: [(String, String)] = [],
        body: String = ""
    ) -> Reply {
        let fields = fields.map { HTTPField(name: $0.0, value: $0.1) }
        return Reply { _ in
            ResponsePlan(status: status, fields: fields, body: [.bytes(Array(body.utf8))])
        }
    }

    /// Sends these bytes verbatim, including the head, then closes cleanly unless `thenClose` is
    /// false.
    package static func raw(_ bytes: [UInt8], thenClose: Bool = true) -> Reply {
        Reply { _ in
            var plan = ResponsePlan()
            plan.sendsHead = false
            plan.body = [.bytes(bytes)]
            plan.closes = thenClose
            return plan
        }
    }

    /// Sends this text verbatim, including the head, then closes cleanly unless `thenClose` is
    /// false.
    package static func raw(_ text: String, thenClose: Bool = true) -> Reply {
        raw(Array(text.utf8), thenClose: thenClose)
    }

    /// Sends some text once, then repeats other text until the client disconnects.
    ///
    /// This simulates endless 1xx responses, an endless head or an endless body.
    package static func endless(_ first: String, repeating bytes: String) -> Reply {
        raw(bytes).changed { plan, _ in
            plan.preamble = Array(first.utf8)
            plan.repeatsBody = true
        }
    }

    /// A reply that receives the request and never answers.
    package static let never = Reply { _ in
        var plan = ResponsePlan()
        plan.sendsHead = false
        plan.marks = [BodyMark(after: 0, .stall)]
        return plan
    }

    /// Takes the request and ends the connection without an answer.
    package static func hangUp(_ ending: Ending) -> Reply {
        raw([]).changed { plan, _ in plan.marks = [BodyMark(after: 0, .end(ending))] }
    }

    /// A login page in place of any requested resource, as a captive portal sends it.
    package static let htmlPortal = status(
        200,
        fields: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
        body: "<!doctype html><html><title>Log in</title><p>Please log in to start.</html>\n"
    )

    /// Redirects to a URL or path.
    package static func redirect(to location: String, status: Int = 302) -> Reply {
        .status(status, fields: [("Location", location)])
    }

    /// Redirects to the location that the closure returns, such as a freshly signed URL each time.
    package static func redirect(
        status: Int = 302,
        to location: @escaping @Sendable (OriginExchange) -> String
    ) -> Reply {
        Reply { redirect(to: location($0), status: status).plan($0) }
    }

    /// Runs a closure that writes the response, on the connection's own thread.
    package static func custom(
        _ talk: @escaping @Sendable (OriginExchange, OriginConnection) throws -> Void
    ) -> Reply {
        Reply { _ in
            var plan = ResponsePlan()
            plan.custom = talk
            return plan
        }
    }
}
