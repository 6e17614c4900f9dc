internal import HTTPTypes
internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// Refuses parameters and bodies that the API's description does not contain: a mistyped one would
/// otherwise have no effect.
struct RequestForm: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let method = request.method == .head ? HTTPRequest.Method.get : request.method
        let route = "\(method.rawValue) \(context.endpointPath ?? "")"
        if let form = Self.forms[route] { try form.check(request, route) }
        return try await next(request, context)
    }

    /// The forms of the routes, by method and path.
    private static let forms = Dictionary(
        APIDocument.operations.map { ("\($0.method.uppercased()) \($0.path)", Form($0)) }
    ) { first, _ in first }

    private struct Form {
        let parameters: [String]
        let hasBody: Bool

        init(_ operation: APIOperation) {
            parameters = operation.parameters.filter { $0.place == .query }.map(\.name)
            hasBody = operation.body != nil
        }

        func check(_ request: Request, _ route: String) throws(DownloadError) {
            let given = try QueryText.parameters(request.uri.query ?? "")
            for (name, _) in given where !parameters.contains(name) {
                throw DownloadError(
                    .usage,
                    "'\(name.sanitized(atMost: 40))' is not a parameter of \(route)",
                    advice: parameters.isEmpty
                        ? "leave it out" : "use \(parameters.joined(separator: ", "))"
                )
            }
            let length = request.headers[.contentLength] ?? "0"
            if !hasBody, length != "0" || request.headers[.transferEncoding] != nil {
                throw DownloadError(.usage, "\(route) has no body", advice: "leave it out")
            }
        }
    }
}
