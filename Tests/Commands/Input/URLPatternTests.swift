import FoundationEssentials
import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct URLPatternTests {
    @Test(arguments: [
        ("http://a/b", ["http://a/b"]),
        ("http://a/{x,y}", ["http://a/x", "http://a/y"]),
        ("http://a/{1..3}", ["http://a/1", "http://a/2", "http://a/3"]),
        ("http://a/{3..1}", ["http://a/3", "http://a/2", "http://a/1"]),
        ("http://a/{08..10}", ["http://a/08", "http://a/09", "http://a/10"]),
        ("http://a/{0..10..5}", ["http://a/0", "http://a/5", "http://a/10"]),
        ("http://a/{a..c}.z", ["http://a/a.z", "http://a/b.z", "http://a/c.z"]),
        ("http://a/{1,2}{x,y}", ["http://a/1x", "http://a/1y", "http://a/2x", "http://a/2y"]),
        ("http://a/{x,{1..2}}", ["http://a/x", "http://a/1", "http://a/2"]),
        ("http://a/{,.sig}", ["http://a/", "http://a/.sig"]),
        ("http://a/{id}", ["http://a/{id}"]),
        (#"http://a/?f={"a":1,"b":2}"#, [#"http://a/?f={"a":1,"b":2}"#]),
        ("http://a/{id}/{1..2}", ["http://a/{id}/1", "http://a/{id}/2"]),
        ("http://a/{1..", ["http://a/{1.."]),
        ("http://a/{1..x}", ["http://a/{1..x}"]),
        ("http://a/{}", ["http://a/{}"]),
        ("http://a/{1..2..0}", ["http://a/{1..2..0}"]),
        ("http://a/{9223372036854775807..1}", ["http://a/{9223372036854775807..1}"]),
        ("http://a/{-2..1}", ["http://a/-2", "http://a/-1", "http://a/0", "http://a/1"]),
    ])
    func `braces stand for several URLs`(pattern: String, urls: [String]) throws {
        #expect(try URLPattern.expand(pattern) == urls)
    }

    @Test(arguments: ["{1..100001}", "{1..1000}{1..1000}", "{0..9007199254740992}"])
    func `a pattern of too many URLs is an error`(pattern: String) {
        let error = #expect(throws: DownloadError.self) {
            try URLPattern.expand("http://a/" + pattern)
        }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("more than 100000") == true)
    }

    @Test func `deeply nested braces are an error`() {
        let pattern =
            String(repeating: "{a,", count: 100_000) + String(repeating: "}", count: 100_000)
        let error = #expect(throws: DownloadError.self) {
            try URLPattern.expand("http://a/" + pattern)
        }
        #expect(error?.code == .usage)
    }

    @Test func `each URL of a pattern is a download`() throws {
        let batch = try DownloadBatch(urls: ["http://a.example/{1..3}"], list: nil, options: [])
        #expect(batch.downloads.map(\.url.path) == ["/1", "/2", "/3"])
        let error = #expect(throws: DownloadError.self) {
            let output = [OptionAssignment("output", "one")]
            return try DownloadBatch(urls: ["http://a.example/{1,2}"], list: nil, options: output)
        }
        #expect(error?.message.contains("2 URLs") == true)
    }
}
