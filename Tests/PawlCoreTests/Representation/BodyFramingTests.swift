import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BodyFramingTests {
    @Test(
        arguments: [
            ([], nil),
            (["0"], 0),
            (["1000"], 1000),
            ([" 1000 "], 1000),
            (["9223372036854775807"], .max),
            (["5", "5"], 5),
            (["5, 5"], 5),
            (["5,5", "005"], 5),
        ] as [([String], Int64?)]
    )
    func `a length is parsed`(values: [String], expected: Int64?) {
        #expect(BodyFraming(of: head(values)) == .sound(length: expected))
    }

    @Test(arguments: [
        (["5", "6"], "two different lengths, 5 and 6"),
        (["5, 6"], "two different lengths, 5 and 6"),
        (["5,5,6"], "two different lengths"),
        (["-5"], "negative length -5"),
        (["9223372036854775808"], "over 2^63-1"),
        (["99999999999999999999999999999999999999999999"], "over 2^63-1"),
        (["abc"], "not a number"),
        ([""], "not a number"),
        (["5,"], "not a number"),
        (["+5"], "not a number"),
        (["0x5"], "not a number"),
        (["5 5"], "not a number"),
        (["1e3"], "not a number"),
        (["٥"], "not a number"),
        (["5", "-5"], "negative length"),
    ])
    func `invalid or contradictory lengths are refused`(values: [String], reason: String) {
        expectMalformed(BodyFraming(of: head(values)), reason)
    }

    @Test(arguments: ["chunked", "gzip, chunked", "identity", ""])
    func `a length with a transfer encoding is refused`(encoding: String) {
        let framing = BodyFraming(of: head(["5"]).with("Transfer-Encoding", encoding))
        expectMalformed(framing, "both Content-Length and Transfer-Encoding")
    }

    @Test func `chunks have no length`() {
        let framing = BodyFraming(of: head([]).with("Transfer-Encoding", "chunked"))
        #expect(framing == .sound(length: nil))
    }

    @Test func `text from the server is safe to print`() {
        guard case .malformed(let reason) = BodyFraming(of: head(["\u{1B}[31m" + "x".repeated(99)]))
        else {
            Issue.record("accepted")
            return
        }
        #expect(reason == reason.sanitized)
        #expect(reason.count < 120)
    }

    private func head(_ values: [String]) -> ResponseHead {
        var head = ResponseHead(200)
        head.fields = values.map { HTTPField(name: "content-length", value: $0) }
        return head
    }

    private func expectMalformed(_ framing: BodyFraming, _ reason: String) {
        guard case .malformed(let said) = framing else {
            Issue.record("accepted: \(framing)")
            return
        }
        #expect(said.contains(reason))
    }
}

extension String {
    func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
