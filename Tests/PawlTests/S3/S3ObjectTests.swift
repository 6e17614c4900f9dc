import Pawl
import PawlCore
import Testing
import struct FoundationEssentials.URL

@Suite(.timeLimit(.minutes(5)))
struct S3ObjectTests {
    private func object(_ text: String) throws -> S3Object? {
        S3Object(try SourceURL.parse(text).url)
    }

    private func request(
        _ text: String,
        at base: String? = nil,
        region: String = "eu-west-1"
    ) throws -> S3Endpoint.UnsignedRequest? {
        let endpoint = S3Endpoint(base: base.flatMap { URL(string: $0) }, region: region)
        let found = try object(text)
        return endpoint.unsignedRequest(for: try #require(found), method: "GET")
    }

    @Test(arguments: [
        ("s3://photos/a/b.jpg", "https://photos.s3.eu-west-1.amazonaws.com/a/b.jpg"),
        // The certificate of the service has one label before `s3`.
        ("s3://my.photos/a", "https://s3.eu-west-1.amazonaws.com/my.photos/a"),
        ("s3://Photos_1/a", "https://s3.eu-west-1.amazonaws.com/Photos_1/a"),
        ("s3://photos/a b+c,é", "https://photos.s3.eu-west-1.amazonaws.com/a%20b%2Bc%2C%C3%A9"),
        ("s3://photos/a%20b%2fc", "https://photos.s3.eu-west-1.amazonaws.com/a%20b/c"),
        ("s3://photos/a//../b", "https://photos.s3.eu-west-1.amazonaws.com/a//../b"),
        (
            "s3://photos/a?versionId=x%2By",
            "https://photos.s3.eu-west-1.amazonaws.com/a?versionId=x%2By"
        ),
    ])
    func `the request for an object at AWS`(text: String, address: String) throws {
        #expect(try request(text)?.url.absoluteString == address)
    }

    @Test(arguments: [
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000/photos/a", "127.0.0.1:9000"),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9000/photos/a", "127.0.0.1:9000"),
        (
            "https://storage.example:443/s3", "https://storage.example/s3/photos/a",
            "storage.example"
        ),
        ("http://[::1]:9000", "http://[::1]:9000/photos/a", "[::1]:9000"),
    ])
    func `the request for an object at another service`(
        base: String,
        address: String,
        host: String
    ) throws {
        let found = try request("s3://photos/a", at: base)
        let request = try #require(found)
        #expect(request.url.absoluteString == address)
        #expect(request.content.host == host)
    }

    @Test func `a region in China has another domain`() throws {
        let found = try request("s3://photos/a", region: "cn-north-1")
        let request = try #require(found)
        #expect(request.content.host == "photos.s3.cn-north-1.amazonaws.com.cn")
    }

    @Test(arguments: ["", "x.evil.example/", "a/b", "a b", "a@b", "a:b", "a#", "a?", "é"])
    func `there is no request for a region that would lead elsewhere`(region: String) throws {
        #expect(try request("s3://photos/a", region: region) == nil)
    }

    @Test(arguments: ["s3://..a/b", "s3://.a/b", "s3://a..b/c"])
    func `a name that no bucket has is refused`(text: String) throws {
        #expect(try object(text) == nil)
    }

    @Test(arguments: ["s3://photos:443/a", "s3:///a", "s3://photos/a/", "s3://photos"])
    func `a URL without a bucket, with a port, or of a folder is refused`(text: String) {
        #expect(throws: DownloadError.self) { try SourceURL.parse(text) }
    }

    @Test func `the version is part of the query`() throws {
        let found = try object("s3://photos/a?versionId=1&x=2")
        var object = try #require(found)
        #expect(object.version == "1")
        object.version = "3"
        #expect(object.version == "3")
        #expect(object.queryItems.map(\.name) == ["x", "versionId"])
        object.version = nil
        #expect(object.version == nil)
    }
}
