internal import HTTPTypes
internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// An error with the status of its response.
struct APIFailure: Error {
    let status: HTTPResponse.Status
    let error: DownloadError

    init(_ status: HTTPResponse.Status, _ error: DownloadError) {
        self.status = status
        self.error = error
    }
}

/// Turns every error into a problem document.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let failure as APIFailure {
            return try Self.response(failure.error, failure.status)
        } catch let error as DownloadError {
            return try Self.response(error, Self.status(error.code))
        } catch let error as HTTPError where error.status == .notFound {
            return try Self.unknown(request)
        } catch let error as HTTPError {
            let code: ErrorCode = error.status.code == 404 ? .notFound : .usage
            let text = error.body ?? error.status.reasonPhrase
            return try Self.response(
                DownloadError(
                    code,
                    text.sanitized,
                    advice: "see /openapi.yaml, or docs/http-api.md"
                ),
                error.status
            )
        }
    }

    private static func unknown(_ request: Request) throws -> Response {
        let path = String((request.head.path ?? "").prefix { $0 != "?" })
        let methods = APIRoute.methods(of: path)
        guard !methods.isEmpty else {
            let error = DownloadError(
                .notFound,
                "there is no resource at '\(path.sanitized(atMost: 100))'",
                advice: "see /openapi.yaml"
            )
            return try response(error, .notFound)
        }
        let error = DownloadError.usage(
            "\(request.method.rawValue.sanitized(atMost: 20)) is not allowed at this path",
            advice: "use \(methods.joined(separator: ", "))"
        )
        var answer = try response(error, .methodNotAllowed)
        answer.headers[.allow] = methods.joined(separator: ", ")
        return answer
    }

    static func response(
        _ error: DownloadError,
        _ status: HTTPResponse.Status
    ) throws -> Response {
        var answer = try Response.json(
            Problem(error, status: status.code),
            status: status,
            type: Problem.mediaType
        )
        if error.code == .storeUnavailable { answer.headers[.retryAfter] = "1" }
        return answer
    }

    static func status(_ code: ErrorCode) -> HTTPResponse.Status {
        switch code {
        case .usage, .badResponse: .badRequest
        case .notFound: .notFound
        case .conflict, .alreadyRunning, .fileExists: .conflict
        case .notAllowed: .forbidden
        case .unauthorized: .unauthorized
        case .tooLarge: .contentTooLarge
        case .diskFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        case .serverBusy, .storeUnavailable: .serviceUnavailable
        default: .internalServerError
        }
    }
}
