import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RetryAfterTests {
    @Test(arguments: [
        ("120", Duration.seconds(120)),
        (" 0 ", .zero),
        ("-5", .zero),
        ("Tue, 04 Nov 2025 10:00:30 GMT", .seconds(30)),
        ("Tue Nov  4 10:01:00 2025", .seconds(60)),
        ("Tue, 04 Nov 2025 09:00:00 GMT", .zero),
        ("99999999999999999999999999", .seconds(9_000_000_000)),
        ("9223372036854775807", .seconds(9_000_000_000)),
    ])
    func `seconds and dates are parsed`(text: String, expected: Duration) {
        #expect(RetryAfter.parse(text, date: tuesday) == expected)
    }

    @Test(arguments: ["", "soon", "1.5", "5s", "--5", "-", "0x10", "Tue, 04 Nov"])
    func `an invalid Retry-After is ignored`(text: String) {
        #expect(RetryAfter.parse(text, date: tuesday) == nil)
    }

    @Test func `a date without the response's own date is ignored`() {
        #expect(RetryAfter.parse(wednesday, date: nil) == nil)
        #expect(RetryAfter.parse(wednesday, date: "today") == nil)
    }

    @Test func `the longest of several fields counts`() {
        let head = ResponseHead(503, ["Retry-After": "5", "retry-after": "7", "Date": tuesday])
        #expect(RetryAfter.parse(head) == .seconds(7))
        #expect(RetryAfter.parse(ResponseHead(503)) == nil)
    }
}
