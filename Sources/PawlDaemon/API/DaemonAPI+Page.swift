internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The web page: files that hold nothing of the user's.
extension DaemonAPI {
    func addPage(to router: Router<APIContext>) {
        for file in PageFile.all {
            let answer = PageAnswer(file)
            router.get(RouterPath(file.path)) { request, _ in answer.response(to: request) }
        }
    }

    /// What a file is answered with, made once.
    private struct PageAnswer: Sendable {
        private let fields: HTTPFields
        private let body: ByteBuffer

        private static let policy = HTTPField.Name("Content-Security-Policy")
        /// It may do what it needs, and nothing of it may come from elsewhere or stand in the page.
        private static let rules = """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
            connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
            """

        init(_ file: PageFile) {
            var fields: HTTPFields = [.contentType: file.type, .eTag: file.tag]
            // A newer daemon has a newer page.
            fields[.cacheControl] = "no-cache"
            if let policy = Self.policy { fields[policy] = Self.rules }
            self.fields = fields
            body = ByteBuffer(bytes: file.bytes)
        }

        func response(to request: Request) -> Response {
            let known = request.headers[.ifNoneMatch]?.split(separator: ",").map { tag in
                String(tag.drop { $0 == " " }.prefix { $0 != " " })
            }
            guard known?.contains(fields[.eTag] ?? "") != true else {
                return Response(status: .notModified, headers: fields)
            }
            return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: body))
        }
    }
}
