internal import HTTPTypes
internal import Hummingbird

/// Refuses a request that whoever sent it may not make at all, before anything of it is read.
///
/// What it concerns, and who has added that, is for the queue, which asks the same rules.
struct AccessCheck: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        // Where nothing is found, nothing is done.
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

    /// By the method and the path; a route without any is closed to everybody.
    private static let demands = Dictionary(
        APIDocument.operations.map { ("\($0.method.uppercased()) \($0.path)", $0.demands) }
            + PageFile.all.map { ("GET \($0.path)", [Demand.open]) }
    ) { first, _ in first }
}
