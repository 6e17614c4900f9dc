internal import Hummingbird
internal import PawlWire

/// Refuses a request that its sender may not make in any case, before its body is read.
///
/// The queue applies the same rules to the downloads and sessions that the request concerns.
struct AccessCheck: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        // A request without a route is answered with an error anyway.
        if context.endpointPath != nil {
            // A route without demands is closed to all.
            let demands = APIRoute.serving(request, context)?.demands ?? []
            let decisions = demands.map { AccessRules.decision(on: $0, by: context.authority) }
            if decisions.allSatisfy({ $0 == .refused }) {
                let demand = Self.action(context)?.demand ?? demands.first
                throw AccessRules.refusal(of: demand, to: context.authority)
            }
        }
        return try await next(request, context)
    }

    /// The action that the path names; `nil` if it names none.
    private static func action(_ context: APIContext) -> QueueAction? {
        context.parameters.get("action").flatMap { QueueAction(rawValue: $0) }
    }
}
