internal import CCurl
internal import PawlCore

/// The content codings that this system's libcurl decodes (RFC 9110 §8.4.1).
enum ContentCodings {
    /// Those to request, best first.
    static let all: [String] = {
        let features = pawl_curl_features()
        let codings: [(name: String, feature: Int32)] = [
            ("zstd", CURL_VERSION_ZSTD), ("br", CURL_VERSION_BROTLI), ("gzip", CURL_VERSION_LIBZ),
        ]
        return codings.filter { features & $0.feature != 0 }.map(\.name)
    }()

    /// The value of `Accept-Encoding`.
    static let accepted = all.joined(separator: ", ")

    /// Other names that libcurl knows, if it knows the one that belongs to each.
    private static let others = ["x-gzip": "gzip", "deflate": "gzip"]

    /// Returns what libcurl does with a body if it may decode it.
    static func decoding(of head: ResponseHead) -> ContentDecoding {
        guard let field = Representation.contentEncoding(head["Content-Encoding"]) else {
            return .none
        }
        let isKnown = field.listMembers.allSatisfy { all.contains(others[$0] ?? $0) }
        return isKnown ? .decoded : .impossible
    }
}
