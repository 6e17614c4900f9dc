import Pawl
import PawlCore
import Testing
import struct FoundationEssentials.URL

@Suite(.timeLimit(.minutes(5)))
struct S3ListingTests {
    private func listing(_ text: String = "s3://photos/a%20b/") throws -> S3Listing {
        let url = try #require(URL(string: text))
        return try #require(S3Listing(below: url))
    }

    private func page(
        _ keys: [String],
        next: String? = nil,
        isEncoded: Bool = true
    ) -> [UInt8] {
        let more = next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? ""
        let text =
            "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
            + (isEncoded ? "<EncodingType>url</EncodingType>" : "")
            + "<IsTruncated>\(next != nil)</IsTruncated>\(more)"
            + keys.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
            + "</ListBucketResult>"
        return Array(text.utf8)
    }

    private func texts(_ entries: [S3Listing.Entry]) -> [String] {
        entries.map { String(decoding: $0.key, as: UTF8.self) }
    }

    @Test func `pages are requested until the last one`() throws {
        var listing = try listing()
        #expect(
            try listing.nextPage()?.absoluteString
                == "s3://photos/?list-type=2&encoding-type=url&prefix=a%20b%2F"
        )
        let first = try listing.read(page(["a+b/x", "a%20b/y%2Bz"], next: "t/1+="))
        #expect(texts(first) == ["a b/x", "a b/y+z"])
        #expect(
            try listing.nextPage()?.absoluteString.hasSuffix("&continuation-token=t%2F1%2B%3D")
                == true
        )
        #expect(texts(try listing.read(page(["a b/+"], isEncoded: false))) == ["a b/+"])
        #expect(try listing.nextPage() == nil)
    }

    @Test func `keys of folders and of other prefixes are left out`() throws {
        var listing = try listing()
        let keys = try listing.read(page(["a b/", "a b/c/", "a b/d", "other", "a c/x", ""]))
        #expect(texts(keys) == ["a b/d"])
    }

    @Test func `a list that does not end is an error`() throws {
        var listing = try listing()
        let text = String(decoding: page([]), as: UTF8.self)
            .replacing("false", with: "true")
        #expect(throws: DownloadError.self) { try listing.read(Array(text.utf8)) }
        _ = try listing.read(page([], next: "same"))
        #expect(throws: DownloadError.self) { try listing.read(page([], next: "same")) }
        #expect(throws: DownloadError.self) {
            for number in 0...20_000 where try listing.nextPage() != nil {
                _ = try listing.read(page([], next: "\(number)"))
            }
        }
    }

    @Test(arguments: ["", "<a/>", "<ListBucketResult>", "{}", "<!DOCTYPE a><ListBucketResult/>"])
    func `another document is an error`(text: String) throws {
        var listing = try listing()
        let error = #expect(throws: DownloadError.self) { try listing.read(Array(text.utf8)) }
        #expect(error?.code == .badResponse)
    }

    @Test func `the URL and the names of an object`() throws {
        let listing = try listing()
        let key = Array("a b/c//d e?.txt".utf8)
        #expect(listing.address(of: key) == "s3://photos/a%20b/c//d%20e%3F.txt")
        #expect(listing.names(in: key) == ["c", "d e?.txt"])
        #expect(try self.listing("s3://photos/").names(in: Array("a/b".utf8)) == ["a", "b"])
    }

    @Test(arguments: ["s3://photos/a", "s3://photos/a/?versionId=1", "https://photos/a/"])
    func `only a folder has a list`(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(S3Listing(below: url) == nil)
    }
}
