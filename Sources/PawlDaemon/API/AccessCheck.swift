internal import HTTPTypes
internal import Hummingbird

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
        if let path = context.endpointPath {
            let method = request.method == .head ? HTTPRequest.Method.get : request.method
            let demands = Self.demands["\(method.rawValue) \(path)"] ?? []
            let decisions = demands.map { AccessRules.decision(on: $0, by: context.authority) }
            if decisions.allSatisfy({ $0 == .refused }) {
                throw AccessRules.refusal(of: demands.first, to: context.authority)
            }
        }
        return try await next(request, context)
    }

    /// The demands of the routes, by method and path; a route without demands is closed to all.
    private static let demands = Dictionary(
        APIDocument.operations.map { ("\($0.method.uppercased()) \($0.path)", $0.demands) }
            + PageFile.all.map { ("GET \($0.path)", [Demand.open]) }
    ) { first, _ in first }
}
