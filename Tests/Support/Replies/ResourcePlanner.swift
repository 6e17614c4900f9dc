import PawlCore

/// The response to one request for a resource, according to RFC 9110.
struct ResourcePlanner {
    let resource: Resource
    let exchange: OriginExchange

    func plan() -> ResponsePlan {
        guard resource.methods.contains(exchange.request.method) else {
            return ResponsePlan(
                status: 405,
                fields: [
                    HTTPField(
                        name: "Allow",
                        value: resource.methods.sorted().joined(separator: ", ")
                    )
                ]
            )
        }
        guard resource.acceptsRanges, let asked = exchange.range, conditionHolds else {
            return whole()
        }
        guard let range = asked.resolve(size: resource.size) else { return notSatisfiable() }
        return part(range)
    }

    /// Whether If-Range (RFC 9110 §13.1.5) holds: a strong entity tag or a date, each compared
    /// exactly.
    private var conditionHolds: Bool {
        guard let condition = exchange.request["If-Range"] else { return true }
        if condition.hasPrefix("\"") { return condition == resource.entityTag }
        return condition == resource.lastModified
    }

    private func whole() -> ResponsePlan {
        let range = ByteRange(0, resource.size)
        return ResponsePlan(
            status: 200,
            fields: fields,
            body: [.content(resource.content, range)]
        )
    }

    private func part(_ range: ByteRange) -> ResponsePlan {
        var plan = ResponsePlan(
            status: 206,
            fields: fields,
            body: [.content(resource.content, range)]
        )
        plan.contentRange = SentRange(range, total: resource.size)
        return plan
    }

    private func notSatisfiable() -> ResponsePlan {
        let range = HTTPField(name: "Content-Range", value: "bytes */\(resource.size)")
        return ResponsePlan(
            status: 416,
            fields: [range],
            body: [.bytes(Array("no such range\n".utf8))]
        )
    }

    private var fields: [HTTPField] {
        let pairs = [
            ("Date", resource.date), ("Content-Type", resource.mediaType),
            ("ETag", resource.entityTag), ("Last-Modified", resource.lastModified),
            ("Accept-Ranges", resource.acceptsRanges ? "bytes" : "none"),
        ]
        let known = pairs.compactMap { name, value in value.map { HTTPField(name: name, value: $0) }
        }
        return known + resource.fields
    }
}
