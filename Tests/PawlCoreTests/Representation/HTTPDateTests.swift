import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("sun, 6 nov 1994 08:49:37 utc", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Thu, 01 Mar 1900 00:00:00 GMT", -2_203_891_200),
            ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Tuesday, 19-Jan-38 03:14:08 GMT", 2_147_483_648),
        ] as [(String, Int64)]
    )
    func `a date is parsed`(text: String, seconds: Int64) {
        #expect(HTTPDate(parsing: text)?.secondsSince1970 == seconds)
    }

    @Test func `a date is written as it is read`() {
        var random = TestSeed.generator("dates")
        for _ in 0..<2000 {
            let seconds = Int64.random(in: -30_000_000_000...253_402_300_799, using: &random)
            let text = HTTPDate(secondsSince1970: seconds).text
            #expect(HTTPDate(parsing: text)?.secondsSince1970 == seconds, "\(text)")
        }
        #expect(
            HTTPDate(secondsSince1970: 784_111_777).text == "Sun, 06 Nov 1994 08:49:37 GMT"
        )
    }

    @Test(arguments: [
        "", "0", "now", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "06 Nov 1994 08:49:37 GMT",
        "Sun, 31 Apr 2025 00:00:00 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
        "Thu, 29 Feb 1900 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 194 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 1994 08:49:37 GMT+1",
        "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994 GMT",
    ])
    func `an invalid date is refused`(text: String) {
        #expect(HTTPDate(parsing: text) == nil)
    }

    @Test func `each day follows the one before`() {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"]
        var last: Int64 = 1_672_531_200 - 86_400
        for year in [2023, 2024] {
            for month in months + ["Nov", "Dec"] {
                for day in 1...31 {
                    let text = "Mon, \(day) \(month) \(year) 00:00:00 GMT"
                    guard let date = HTTPDate(parsing: text) else { continue }
                    #expect(date.secondsSince1970 == last + 86_400, "\(text)")
                    last = date.secondsSince1970
                }
            }
        }
        #expect(last == 1_672_531_200 + 730 * 86_400)
    }
}
