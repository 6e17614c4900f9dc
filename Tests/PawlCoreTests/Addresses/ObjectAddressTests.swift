import PawlCore
import Testing
import struct FoundationEssentials.URL

/// The URLs of objects that downloads are saved to.
@Suite(.timeLimit(.minutes(5)))
struct ObjectAddressTests {
    @Test(
        arguments: [
            ("s3://photos/disk.iso", "s3://photos/disk.iso"), ("S3://photos/a", "s3://photos/a"),
            ("s3://photos", "s3://photos/"), ("s3://photos/", "s3://photos/"),
            ("s3://my.photos/2026/", "s3://my.photos/2026/"),
            ("s3://photos/a b+c", "s3://photos/a%20b%2Bc"),
            ("s3://photos/%61%2Fb", "s3://photos/a/b"),
            ("s3://photos/é", "s3://photos/%C3%A9"),
            ("s3://photos/a%3Fb%23c", "s3://photos/a%3Fb%23c"),
            ("s3://photos/a;b@c", "s3://photos/a%3Bb%40c"), ("s3://photos/...", "s3://photos/..."),
        ]
    )
    func `each key has one form`(text: String, form: String) throws {
        let url = try ObjectAddress.parse(text)
        #expect(url.absoluteString == form)
        #expect(try ObjectAddress.parse(form) == url)
        #expect(url.redacted == form)
    }

    @Test(
        arguments: [
            "https://photos/a", "s3:///a", "s3://pho tos/a", "s3://.photos/a", "s3://a..b/a",
            "s3://photos:9000/a", "s3://photos/a?versionId=1", "s3://photos/a#b",
            "s3://photos/a//b",
            "s3://photos//", "s3://photos/../a", "s3://photos/a/%2E%2E/b", "s3://photos/a%2F.%2Fb",
            "s3://photos/a\u{7}", "s3://photos/" + String(repeating: "a", count: 1025),
        ]
    )
    func `a URL that names no object is refused`(text: String) {
        let error = #expect(throws: DownloadError.self) { try ObjectAddress.parse(text) }
        #expect(error?.code == .usage)
        #expect(error?.advice.isEmpty == false)
    }

    @Test func `credentials are refused and not shown`() {
        let error = #expect(throws: DownloadError.self) {
            try ObjectAddress.parse("s3://KEY:very-secret@photos/a?token=very-secret")
        }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("very-secret") == false)
    }

    @Test func `a path is not the URL of an object`() {
        for path in ["/a/b", "a", "s3", "s3:/photos/a", "./s3://photos/a", "https://photos/a", ""] {
            #expect(!ObjectAddress.isOne(path), "\(path)")
        }
        #expect(ObjectAddress.isComplete("/a"))
        #expect(ObjectAddress.isComplete("s3://photos/a"))
        #expect(!ObjectAddress.isComplete("a"))
    }

    @Test func `an object is below a folder only if its key begins with that of the folder`() {
        for folder in ["s3://photos", "s3://photos/", "s3://photos/in", "s3://photos/in/"] {
            #expect(ObjectAddress.lies("s3://photos/in/a", in: folder), "\(folder)")
            #expect(!ObjectAddress.lies("s3://others/in/a", in: folder), "\(folder)")
            #expect(!ObjectAddress.lies("s3://photos.x/in/a", in: folder), "\(folder)")
        }
        #expect(!ObjectAddress.lies("s3://photos/input/a", in: "s3://photos/in"))
        #expect(!ObjectAddress.lies("s3://photos/in/../a", in: "s3://photos/in"))
        #expect(ObjectAddress.lies("s3://photos/%69n/a", in: "s3://photos/in"))
    }

    @Test func `targets of objects meet if URL and key are the same`() throws {
        func target(_ object: String, _ url: String = "https://host/a") throws -> DownloadTarget {
            DownloadTarget(url: url, destination: .object(try ObjectAddress.parse(object)))
        }
        let named = try target("s3://photos/in/a")
        #expect(named.file == "s3://photos/in/a")
        #expect(try target("s3://photos/in/").file == nil)
        #expect(named.mayMeet(try target("s3://photos/in/")))
        #expect(named.mayMeet(try target("s3://photos/%69n/a")))
        #expect(!named.mayMeet(try target("s3://photos/in/b")))
        #expect(!named.mayMeet(try target("s3://others/in/a")))
        #expect(!named.mayMeet(try target("s3://photos/in/a", "https://host/b")))
        // The folders of buckets are not those of a file system.
        let other = try target("s3://photos/x/a").resolved { _ in "/one" }
        #expect(!named.resolved { _ in "/one" }.mayMeet(other) { _ in "/one" })
    }
}
