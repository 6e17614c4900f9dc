internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The response to a request for a file of the web page, created once.
struct PageResponse: Sendable {
    private let fields: HTTPFields
    private let body: ByteBuffer

    private static let policy = HTTPField.Name("Content-Security-Policy")
    /// The page has only the rights that it needs; it cannot load anything from elsewhere, and
    /// has no inline script or style.
    private static let rules = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
        connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
        frame-ancestors 'none'
        """

    init(_ file: PageFile) {
        var fields: HTTPFields = [.contentType: file.type, .eTag: file.tag]
        // A newer daemon may have a newer page.
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
