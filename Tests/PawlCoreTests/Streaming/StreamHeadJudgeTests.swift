import struct FoundationEssentials.URL
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamHeadJudgeTests {
    private func head(_ status: Int, _ fields: [(String, String)] = []) throws -> ResponseHead {
        ResponseHead(
            url: try #require(URL(string: "http://example.org/x")),
            status: status,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) }
        )
    }

    private func judge(
        _ head: ResponseHead,
        method: String = "GET",
        asking names: [String] = [],
        acceptsErrorStatuses: Bool = false,
        limit: Int64? = nil
    ) -> StreamVerdict {
        StreamHeadJudge(
            method: method,
            fields: names.map { HTTPField(name: $0, value: "x") },
            acceptsErrorStatuses: acceptsErrorStatuses,
            limit: limit
        ).judge(head)
    }

    @Test(arguments: [200, 201, 202, 203, 299])
    func `a success status is accepted`(status: Int) throws {
        let head = try head(status, [("Content-Length", "12")])
        #expect(judge(head) == .accept(length: 12))
        #expect(judge(head, limit: 12) == .accept(length: 12))
        #expect(judge(head, limit: 11) == .tooLarge(length: 12))
        #expect(judge(head, method: "HEAD", limit: 11) == .accept(length: 0))
    }

    @Test func `206 and 304 are accepted only if the request asked for them`() throws {
        let part = try head(206, [("Content-Length", "3"), ("Content-Range", "bytes 0-2/900")])
        #expect(judge(part, asking: ["range"], limit: 3) == .accept(length: 3))
        guard case .malformed = judge(part) else {
            Issue.record("accepted 206 without a range request")
            return
        }
        let same = try head(304, [("Content-Length", "900")])
        #expect(judge(same, asking: ["If-None-Match"], limit: 3) == .accept(length: 0))
        guard case .malformed = judge(same) else {
            Issue.record("accepted 304 without a conditional request")
            return
        }
    }

    @Test(arguments: [400, 404, 416, 500, 503])
    func `an error status is rejected unless the caller accepts it`(status: Int) throws {
        let head = try head(status)
        #expect(judge(head) == .status(status, reason: "", retryAfter: nil))
        #expect(judge(head, acceptsErrorStatuses: true) == .accept(length: nil))
    }

    @Test func `contradictory framing is rejected, even with an error status`() throws {
        let fields = [("Content-Length", "1"), ("Content-Length", "2")]
        for status in [200, 404] {
            let head = try head(status, fields)
            guard case .malformed = judge(head, acceptsErrorStatuses: true) else {
                Issue.record("accepted two lengths with status \(status)")
                return
            }
        }
    }

    @Test func `a redirect is followed even if the caller accepts error statuses`() throws {
        let head = try head(303, [("Location", "/y")])
        #expect(judge(head, acceptsErrorStatuses: true) == .redirect(location: "/y"))
    }
}
