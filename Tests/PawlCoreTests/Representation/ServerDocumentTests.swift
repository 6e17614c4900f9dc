import PawlCore
import Testing

import struct FoundationEssentials.URL

/// The documents that a server names, and whether a description is about the file.
@Suite(.timeLimit(.minutes(5)))
struct ServerDocumentTests {
    private func metalink(
        _ links: String...,
        from address: String = "https://a.example/d/f.iso"
    ) throws -> String? {
        var head = ResponseHead(url: try #require(URL(string: address)), status: 200)
        head.fields = links.map { HTTPField(name: "Link", value: $0) }
        let url = try #require(URL(string: "https://a.example/d/f.iso"))
        return ServerDocument.metalink.url(in: head.fields, from: head.url, of: url)?
            .absoluteString
    }

    @Test func `a Metalink of the same server is found`() throws {
        let type = "application/metalink4+xml"
        #expect(
            try metalink("<f.meta4>; rel=describedby; type=\"\(type)\"")
                == "https://a.example/d/f.meta4"
        )
        let second = "<https://A.example:443/f.meta4>; rel=\"x describedby\"; type=\(type)"
        #expect(
            try metalink("<f.asc>; rel=describedby; type=\"application/pgp-signature\"", second)
                == "https://A.example:443/f.meta4"
        )
    }

    @Test(arguments: [
        "<https://b.example/f.meta4>; rel=describedby; type=\"application/metalink4+xml\"",
        "<http://a.example/f.meta4>; rel=describedby; type=\"application/metalink4+xml\"",
        "<https://a.example:8443/f>; rel=describedby; type=\"application/metalink4+xml\"",
        "<file:///etc/passwd>; rel=describedby; type=\"application/metalink4+xml\"",
        "</f.meta4>; rel=duplicate; type=\"application/metalink4+xml\"",
        "</f.meta4>; rel=describedby", "</f.meta4>; rel=describedby; type=\"text/html\"",
    ])
    func `a link to anything else is ignored`(link: String) throws {
        #expect(try metalink(link) == nil)
    }

    @Test func `another server than that of the download names none`() throws {
        let link = "<https://a.example/f.meta4>; rel=describedby; type=application/metalink4+xml"
        #expect(try metalink(link) != nil)
        #expect(try metalink(link, from: "https://b.example/d/f.iso") == nil)
        #expect(try metalink(link, from: "http://a.example/d/f.iso") == nil)
    }

    @Test func `a description of a file of another size or digest is of another file`() {
        let digest = ContentDigest(.sha1, bytes: [UInt8](repeating: 1, count: 20))
        let other = ContentDigest(.sha1, bytes: [UInt8](repeating: 2, count: 20))
        let md5 = ContentDigest(.md5, bytes: [UInt8](repeating: 3, count: 16))
        var description = FileDescription()
        #expect(description.mayDescribe(total: 5, digest: digest))
        description.size = 5
        #expect(!description.mayDescribe(total: 6, digest: nil))
        description.digest = digest
        #expect(description.mayDescribe(total: 5, digest: digest))
        #expect(description.mayDescribe(total: 5, digest: nil))
        #expect(description.mayDescribe(total: 5, digest: md5))
        #expect(!description.mayDescribe(total: 5, digest: other))
    }
}
