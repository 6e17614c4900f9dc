internal import HTTPTypes
internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// Refuses parameters and bodies that a route does not have: a mistyped parameter would otherwise
/// have no effect.
///
/// It also refuses a body with a transfer coding that the server does not decode.
struct RequestForm: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        if let route = APIRoute.serving(request, context) {
            try checkCoding(request)
            try check(request, route)
        }
        return try await next(request, context)
    }

    /// RFC 9112 §6.1.
    private func checkCoding(_ request: Request) throws {
        guard let coding = request.headers[.transferEncoding], coding.lowercased() != "chunked"
        else { return }
        let error = DownloadError.usage(
            "the transfer coding '\(coding.sanitized(atMost: 40))' is not supported",
            advice: "send the body with Content-Length, or with Transfer-Encoding: chunked"
        )
        throw APIFailure(.notImplemented, error)
    }

    private func check(_ request: Request, _ route: APIRoute) throws(DownloadError) {
        let known = route.parameters
        for (name, _) in try request.parameters where known?.contains(name) == false {
            throw .usage(
                "'\(name.sanitized(atMost: 40))' is not a parameter of \(route.name)",
                advice: known.flatMap { $0.isEmpty ? nil : "use \($0.joined(separator: ", "))" }
                    ?? "leave it out"
            )
        }
        let length = request.headers[.contentLength] ?? "0"
        if route.body == nil, length != "0" || request.headers[.transferEncoding] != nil {
            throw .usage("\(route.name) has no body", advice: "leave it out")
        }
    }
}
