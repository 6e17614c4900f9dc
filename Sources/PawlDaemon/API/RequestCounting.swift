internal import HTTPTypes
internal import Hummingbird
internal import PawlCore

/// Counts the answered requests by route, because there are too many different paths.
struct RequestCounting: RouterMiddleware {
    let counters: DaemonCounters

    func handle(
        _ request: Request,
        context: APIContext,
        next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        counters.answered(
            DaemonCounters.Request(
                route: context.endpointPath ?? "none",
                // Clients can invent any number of methods.
                method: Self.known.contains(request.method) ? request.method.rawValue : "other",
                status: response.status.code
            )
        )
        return response
    }

    private static let known: Set<HTTPRequest.Method> = [.get, .head, .post, .patch, .delete]
}
