import Foundation
import FoundationNetworking
import Pawl
import PawlCore
import PawlFoundation
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RequestTests {
    private let url = URL(string: "http://example.org/a?b=c")

    private func original() throws -> URLRequest { URLRequest(url: try #require(url)) }

    @Test func `a plain request changes no setting`() throws {
        let request = try DownloadRequest(try original())
        #expect(request.url == url)
        #expect(request.method == "GET" && request.fields.isEmpty && request.body.isEmpty)
        #expect(request.adjustment == nil)
        #expect(request.httpBody == nil)
    }

    @Test func `timeouts and network access become settings`() throws {
        var original = try original()
        original.timeoutInterval = 7.5
        original.allowsCellularAccess = false
        let settings = try ownSettings(original)
        #expect(settings.stallTimeout == .seconds(7.5))
        #expect(!settings.allowsExpensiveNetwork)
        original.timeoutInterval = .infinity
        #expect(try ownSettings(original).stallTimeout == .seconds(1e9))
        original.timeoutInterval = -1
        #expect(try ownSettings(original).stallTimeout == DownloadSettings().stallTimeout)
    }

    private func ownSettings(_ request: URLRequest) throws -> DownloadSettings {
        try DownloadRequest(request).settings(over: DownloadSettings())
    }

    @Test(
        arguments: [
            (NSURLRequest.CachePolicy.useProtocolCachePolicy, nil),
            (.reloadIgnoringLocalCacheData, nil), (.returnCacheDataElseLoad, nil),
            (.reloadIgnoringLocalAndRemoteCacheData, "no-cache"),
        ] as [(NSURLRequest.CachePolicy, String?)]
    )
    func `only a policy for the caches on the way adds a field`(
        policy: NSURLRequest.CachePolicy,
        field: String?
    ) throws {
        var original = try original()
        original.cachePolicy = policy
        let request = try DownloadRequest(original)
        #expect(request.value(forHTTPHeaderField: "cache-control") == field)
        original.setValue("max-age=1", forHTTPHeaderField: "Cache-Control")
        #expect(
            try DownloadRequest(original).value(forHTTPHeaderField: "Cache-Control") == "max-age=1"
        )
    }

    @Test func `a property that cannot be converted is an error that names it`() throws {
        var stream = try original()
        stream.httpBodyStream = InputStream(data: Data([1]))
        var cookies = try original()
        cookies.httpShouldHandleCookies = false
        var cached = try original()
        cached.cachePolicy = .returnCacheDataDontLoad
        var bare = try original()
        bare.url = nil
        let cases = [
            (stream, "httpBodyStream"), (cookies, "httpShouldHandleCookies"),
            (cached, "returnCacheDataDontLoad"), (bare, "URL"),
        ]
        for (request, name) in cases {
            let error = #expect(throws: DownloadError.self) { try DownloadRequest(request) }
            #expect(error?.code == .usage)
            #expect(error?.message.contains(name) == true, "\(name)")
        }
    }

    @Test func `the name of a text's encoding is that of Foundation`() throws {
        let type = HTTPField(name: "Content-Type", value: "text/html; charset=ISO-8859-1")
        let head = ResponseHead(url: try #require(url), status: 200, fields: [type])
        let response = DownloadResponse(head)
        #expect(response.textEncodingName == "iso-8859-1")
        let name = HTTPURLResponse(response)?.textEncodingName
        #expect(name?.lowercased() == response.textEncodingName)
    }

    @Test func `a request survives the conversion in both directions`() throws {
        var original = try original()
        original.httpMethod = "PUT"
        original.httpBody = Data([1, 2, 0])
        original.timeoutInterval = 5
        original.allowsCellularAccess = false
        original.setValue("yes", forHTTPHeaderField: "X-Own")
        original.addValue("more", forHTTPHeaderField: "x-own")
        let back = URLRequest(try DownloadRequest(original))
        #expect(back.url == original.url && back.httpMethod == "PUT")
        #expect(back.httpBody == original.httpBody)
        #expect(back.timeoutInterval == 5 && !back.allowsCellularAccess)
        #expect(back.value(forHTTPHeaderField: "X-Own") == "yes,more")
        var empty = try DownloadRequest(original)
        empty.httpBody = nil
        #expect(empty.body.isEmpty && URLRequest(empty).httpBody == nil)
    }
}
