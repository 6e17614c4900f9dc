import Pawl
import PawlCore
import Testing
import struct FoundationEssentials.URL

@Suite(.timeLimit(.minutes(5)))
struct CredentialInquiryTests {
    private let answer = """
        {"Code":"Success","AccessKeyId":"AKID","SecretAccessKey":"s3cret","Token":"t",\
        "Expiration":"2026-11-28T12:00:00Z","Type":"AWS-HMAC"}
        """

    private func inquiry() throws -> CredentialInquiry {
        CredentialInquiry(.instance(try #require(URL(string: "http://127.0.0.1:1"))))
    }

    private func request(
        _ step: CredentialInquiry.Step
    ) -> (method: String, url: String, fields: [HTTPField])? {
        guard case .ask(let method, let url, let fields) = step else { return nil }
        return (method, url.absoluteString, fields)
    }

    private func credentials(_ step: CredentialInquiry.Step) -> S3Credentials? {
        guard case .end(let credentials) = step else { return nil }
        return credentials
    }

    @Test func `an instance is asked for a token, its role and the role's credentials`() throws {
        var inquiry = try inquiry()
        let token = try #require(request(inquiry.begin()))
        #expect(token.method == "PUT")
        #expect(token.url == "http://127.0.0.1:1/latest/api/token")
        #expect(token.fields.value("X-aws-ec2-metadata-token-ttl-seconds") == "21600")
        let role = try #require(request(inquiry.answered(200, Array("secret-token".utf8))))
        #expect(role.url.hasSuffix("/latest/meta-data/iam/security-credentials/"))
        #expect(role.fields.value("X-aws-ec2-metadata-token") == "secret-token")
        let last = try #require(request(inquiry.answered(200, Array("my role\nother".utf8))))
        #expect(last.url.hasSuffix("/security-credentials/my%20role"))
        let found = credentials(inquiry.answered(200, Array(answer.utf8)))
        #expect(
            found
                == S3Credentials(
                    keyID: "AKID",
                    secret: "s3cret",
                    sessionToken: "t",
                    expiry: 1_795_867_200
                )
        )
    }

    private static let ends: [(end: Int64?, next: Int64)] = [
        (nil, 1_300), (10_000, 9_700), (1_301, 1_060), (1_400, 1_100), (1_010, 1_060), (0, 1_060),
        (Int64.min, 1_060), (Int64.max, Int64.max - 300),
    ]

    @Test(arguments: ends)
    func `credentials are requested again before they expire, but not for each request`(
        end: Int64?,
        next: Int64
    ) {
        let credentials = S3Credentials(keyID: "AKID", secret: "x", expiry: end)
        #expect(CredentialCache.renewal(of: credentials, at: 1_000) == next)
        #expect(CredentialCache.renewal(of: nil, at: 1_000) == 1_300)
    }

    @Test func `a machine outside AWS has no credentials`() throws {
        for status in [nil, 404, 405, 500] {
            var inquiry = try inquiry()
            guard case .end(nil) = inquiry.answered(status, []) else {
                Issue.record("\(status ?? 0)")
                continue
            }
        }
    }

    @Test(arguments: ["", "{}", "[]", "{\"AccessKeyId\":1}", "<html>", "{\"AccessKeyId\":\"a\"}"])
    func `an answer without credentials is an error`(text: String) throws {
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        var inquiry = CredentialInquiry(.container(url, authorization: "Bearer x"))
        let first = try #require(request(inquiry.begin()))
        #expect(first.fields.value("Authorization") == "Bearer x")
        guard case .fail(let failure) = inquiry.answered(200, Array(text.utf8)) else {
            Issue.record("it was accepted")
            return
        }
        #expect(failure.kind == .credentialsUnusable)
    }

    @Test func `a container's service that refuses is an error`() throws {
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        for status in [nil, 403, 500] {
            var inquiry = CredentialInquiry(.container(url, authorization: nil))
            guard case .fail = inquiry.answered(status, []) else {
                Issue.record("\(status ?? 0)")
                continue
            }
        }
    }
}
