import Pawl
import PawlCore
import Testing

/// The examples of AWS: *Signature Calculations for the Authorization Header* in the API reference
/// of Amazon S3.
@Suite(.timeLimit(.minutes(5)))
struct RequestSignatureTests {
    private static let emptyBody =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    /// 24 May 2013, 00:00:00 GMT.
    private static let time: Int64 = 1_369_353_600

    private let credentials = S3Credentials(
        keyID: "AKIAIOSFODNN7EXAMPLE",
        secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    )

    private func content(
        _ path: String,
        query: [(name: String, value: String)] = [],
        fields: [HTTPField] = []
    ) -> RequestSignature.Content {
        var content = RequestSignature.Content(
            host: "examplebucket.s3.amazonaws.com",
            path: path,
            query: query
        )
        content.fields = fields
        content.payload = Self.emptyBody
        return content
    }

    private func authorization(
        _ content: RequestSignature.Content,
        by credentials: S3Credentials? = nil
    ) -> String? {
        RequestSignature(credentials ?? self.credentials, region: "us-east-1")
            .fields(for: content, at: Self.time)?.value("Authorization")
    }

    @Test func `a part of an object`() {
        let range = HTTPField(name: "Range", value: "bytes=0-9")
        #expect(
            authorization(content("/test.txt", fields: [range]))
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
                + "aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )
    }

    @Test func `a query without a value`() throws {
        let text = try #require(authorization(content("/", query: [("lifecycle", "")])))
        #expect(
            text.hasSuffix("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
        )
    }

    @Test(arguments: [false, true])
    func `a list of objects, whose query is sorted`(isReversed: Bool) throws {
        let query = [(name: "max-keys", value: "2"), (name: "prefix", value: "J")]
        let text = try #require(
            authorization(content("/", query: isReversed ? query.reversed() : query))
        )
        #expect(
            text.hasSuffix("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
        )
    }

    @Test func `the token of temporary credentials is signed and sent`() throws {
        var temporary = credentials
        temporary.sessionToken = "token/+="
        let fields = try #require(
            RequestSignature(temporary, region: "us-east-1")
                .fields(for: content("/test.txt"), at: Self.time)
        )
        #expect(fields.value("x-amz-security-token") == "token/+=")
        #expect(fields.value("x-amz-date") == "20130524T000000Z")
        let authorization = fields.value("Authorization") ?? ""
        #expect(authorization.contains("x-amz-date;x-amz-security-token,"))
    }

    @Test func `credentials are not printed`() {
        #expect(!"\(credentials)".contains("AKIA"))
        #expect(!String(reflecting: credentials).contains("wJalr"))
    }
}
