/// The reply for each target, with the number of its requests.
struct RouteTable: Sendable {
    private struct Route: Sendable {
        var reply: Reply
        /// Whether the reply itself reads the bodies of requests.
        var readsBody = false
        var replacement: Resource?
        var requests = 0
        var targets: [String: Int] = [:]
    }

    private var routes: [String: Route] = [:]
    private var fallback = Route(reply: .status(404, body: "no such file\n"))

    mutating func set(_ pattern: String, _ reply: Reply, readsBody: Bool) {
        routes[pattern] = Route(reply: reply, readsBody: readsBody)
    }

    /// Whether the reply for a target itself reads the bodies of requests.
    func leavesBody(of target: String) -> Bool {
        pattern(for: target).flatMap { routes[$0] }?.readsBody ?? false
    }

    mutating func setDefault(_ reply: Reply) { fallback = Route(reply: reply) }

    mutating func replace(_ pattern: String, with resource: Resource) {
        routes[pattern]?.replacement = resource
    }

    /// Counts the request and returns the reply that answers it.
    mutating func take(_ request: RecordedRequest) -> (OriginExchange, Reply) {
        guard let pattern = pattern(for: request.target) else {
            return Self.take(request, from: &fallback)
        }
        return Self.take(request, from: &routes[pattern, default: fallback])
    }

    /// Finds the route: first the target with its query, then the path, then the longest
    /// `/prefix/*`.
    private func pattern(for target: String) -> String? {
        let exact = [target, String(target.prefix { $0 != "?" })].first { routes[$0] != nil }
        let prefixes = routes.keys.filter {
            $0.hasSuffix("*") && target.hasPrefix($0.dropLast())
        }
        return exact ?? prefixes.max { $0.utf8.count < $1.utf8.count }
    }

    private static func take(_ request: RecordedRequest, from route: inout Route)
        -> (OriginExchange, Reply)
    {
        route.requests += 1
        route.targets[request.target, default: 0] += 1
        let exchange = OriginExchange(
            request: request,
            range: request.range,
            ordinal: route.requests,
            targetOrdinal: route.targets[request.target] ?? 1,
            replacement: route.replacement
        )
        return (exchange, route.reply)
    }
}
