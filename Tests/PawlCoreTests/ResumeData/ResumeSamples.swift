import struct FoundationEssentials.URL
import PawlCore

/// The output of each version of resume data, recorded when it was current.
///
/// It is never changed, and can always be read.
enum ResumeSamples {
    static let all: [UInt32: String] = [
        1: """
        UEFXTFJTTUUBAAAADQIAACMAAABodHRwczovL2V4YW1wbGUub3JnL2Rpc2suaXNvP3BhcnQ9MQMAAABH\
        RVQBAAAADwAAAEFjY2VwdC1MYW5ndWFnZQwAAABkZSwgZW47cT0wLjUCAAAADQAAAEF1dGhvcml6YXRp\
        b24GAAAAQ29va2llAUBLTAAAAAAAAQgAAAAiYWJjLcO8IgEdAAAATW9uLCAwNiBKdWwgMjAyNiAwODo0\
        OTozNyBHTVQBARgAAABhcHBsaWNhdGlvbi9vY3RldC1zdHJlYW0AAAAAAAEkAAAAbWQ1PTA3MDcwNzA3\
        MDcwNzA3MDcwNzA3MDcwNzA3MDcwNzA3AUcAAABzaGEyNTY9MDkwOTA5MDkwOTA5MDkwOTA5MDkwOTA5\
        MDkwOTA5MDkwOTA5MDkwOTA5MDkwOTA5MDkwOTA5MDkwOTA5MDkwOQIAAAAAAAAAAAAAAEBCDwAAAAAA\
        782riWdFIwGgJSYAAAAAAOAyKQAAAAAA//////////8BAAAAAAAAAAAAAACguw0AAAAAACoAAAAAAAAA\
        AAAAAAAAAAAkAAAANmYwYzJjOWUtOWQ1Yy00YTdlLThmM2ItMGYzYzFiMmE0ZDVlGAAAAC9zcnYvZmls\
        ZXMvZGlzay5pc28ucGFydBQAAAAvc3J2L2ZpbGVzL2Rpc2su/2lzbwEIAAAAa2V5L8OkIDEhbEtqAAAA\
        AA7Z2CTPQ7Kk
        """
    ]

    /// The content of all samples.
    static func content() throws -> ResumeContent {
        var representation = Representation(total: 5_000_000)
        representation.entityTag = EntityTag(isWeak: false, opaque: "\"abc-ü\"")
        representation.lastModified = "Mon, 06 Jul 2026 08:49:37 GMT"
        representation.lastModifiedIsOld = true
        representation.mediaType = "application/octet-stream"
        representation.digest = ContentDigest(.md5, bytes: [UInt8](repeating: 7, count: 16))
        var content = ResumeContent(url: try url("https://example.org/disk.iso?part=1"))
        content.fields = [HTTPField(name: "Accept-Language", value: "de, en;q=0.5")]
        content.omittedFields = ["Authorization", "Cookie"]
        content.representation = representation
        content.expectedDigest = ContentDigest(.sha256, bytes: [UInt8](repeating: 9, count: 32))
        content.written = [
            Claim(range: ByteRange(0, 1_000_000), tail: 0x0123_4567_89AB_CDEF),
            Claim(range: ByteRange(2_500_000, 2_700_000), tail: .max),
        ]
        content.durable = [Claim(range: ByteRange(0, 900_000), tail: 42)]
        content.bootIdentity = "6f0c2c9e-9d5c-4a7e-8f3b-0f3c1b2a4d5e"
        content.partialPath = Array("/srv/files/disk.iso.part".utf8)
        // A name that is not UTF-8.
        content.finalPath = Array("/srv/files/disk.".utf8) + [0xFF] + Array("iso".utf8)
        content.storageKey = "key/ä 1"
        content.createdAt = 1_783_327_777
        return content
    }

    static func url(_ text: String) throws -> URL { try SourceURL.parse(text).url }
}
