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
            codes.take(code, at: now)
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
