internal import HTTPTypes
internal import Hummingbird
internal import PawlWire

/// Adds the protocol's version to each response.
struct ProtocolField: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if let name = HTTPField.Name(ProtocolVersion.field) {
            response.headers[name] = "\(ProtocolVersion.current)"
        }
        return response
    }
}
