import PawlCore
import PawlDaemon
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SafetyValueTests {
    @Test func `a secret matches only itself`() {
        let secret = SecretText("abcabc")
        #expect(secret.matches("abcabc"))
        for other in ["", "abc", "abcabcabc", "abcabd", "bbcabc", "abcabcx", "ABCABC"] {
            #expect(!secret.matches(other), "\(other)")
        }
        #expect(!SecretText("").matches(""))
        #expect(!SecretText("").matches("x"))
    }

    @Test func `a login code works once, for a short time`() {
        let start = ContinuousClock.now
        var codes = LoginCodes()
        func takes(_ code: String, at now: ContinuousClock.Instant) -> Bool {
            codes.redeem(code, at: now)
        }
        codes.add("one", at: start)
        codes.add("two", at: start)
        #expect(!takes("other", at: start))
        #expect(takes("one", at: start))
        #expect(!takes("one", at: start))
        #expect(!takes("two", at: start.advanced(by: LoginCodes.validity)))
        codes.add("three", at: start)
        for number in 0..<100 { codes.add("\(number)", at: start) }
        #expect(!takes("three", at: start))
        #expect(takes("99", at: start))
    }

    @Test func `guesses are delayed longer and longer, and too many are refused`() {
        let start = ContinuousClock.now
        var delay = FailureDelay()
        func wait(at now: ContinuousClock.Instant) -> Duration? { delay.failed(at: now) }
        var waits: [Duration] = []
        for _ in 0..<8 {
            waits.append(wait(at: start) ?? .zero)
            delay.ended()
        }
        #expect(waits == waits.sorted())
        #expect(waits[0] > .zero && waits[0] < waits[3])
        #expect(waits.allSatisfy { $0 <= .seconds(1) })
        #expect(wait(at: start.advanced(by: .seconds(61))) == waits[0])
        delay.ended()
        for _ in 0..<FailureDelay.mostWaiting { #expect(wait(at: start) != nil) }
        #expect(wait(at: start) == nil)
        delay.ended()
        #expect(wait(at: start) != nil)
    }

    @Test func `each client has a delay of its own`() throws {
        let start = ContinuousClock.now
        var delay = FailureDelay()
        func wait(_ address: String, after time: Duration = .zero) throws -> Duration {
            defer { delay.ended() }
            // A macro's argument cannot change `delay`.
            let wait = delay.failed(by: IPAddress(address), at: start.advanced(by: time))
            return try #require(wait)
        }
        let first = try wait("192.0.2.1")
        for _ in 0..<5 { _ = try wait("192.0.2.1") }
        #expect(try wait("192.0.2.2") == first)
        #expect(try wait("192.0.2.1") > first)
        // The addresses of one network of IPv6 are one client.
        #expect(try wait("2001:db8::1") == first)
        #expect(try wait("2001:db8::2") > first)
        #expect(try wait("2001:db8:0:1::2") == first)
        // The number of known clients is bounded, and the oldest ones are forgotten.
        for number in 0..<FailureDelay.mostClients {
            _ = try wait("10.0.\(number / 256).\(number % 256)", after: .seconds(1))
        }
        #expect(try wait("192.0.2.1", after: .seconds(2)) == first)
    }

    @Test func `nesting is limited, and brackets in strings do not count`() {
        let most = JSONCheck.mostLevels
        let fault = { (text: String) -> JSONCheck.Fault? in
            do throws(JSONCheck.Fault) {
                try JSONCheck.check(text.utf8)
                return nil
            } catch {
                return error
            }
        }
        let nested = { (depth: Int) in
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(fault(nested(most)) == nil)
        #expect(fault(nested(most + 1)) == .tooDeep)
        #expect(fault(String(repeating: #"{"a":"#, count: 100_000)) == .tooDeep)
        #expect(fault("\"" + String(repeating: #"[{\""#, count: 1000) + "\"") == nil)
        let lists = Array(repeating: "[]", count: 1000).joined(separator: ",")
        #expect(fault("[\(lists)]") == nil)
    }
}
