import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TextFormTests {
    @Test(arguments: [
        (0, "0 B"), (-5, "0 B"), (999, "999 B"), (1000, "0.98 KiB"), (1024, "1.00 KiB"),
        (10_240, "10.0 KiB"), (1_048_576, "1.00 MiB"), (659_554_304, "629 MiB"),
        (1_073_741_824, "1.00 GiB"), (Int64.max, "8.00 EiB"),
    ])
    func `sizes have three digits`(bytes: Int64, text: String) {
        #expect(ByteText.size(bytes) == text)
    }

    @Test func `sizes and rates fit their columns`() {
        var bytes = 1.0
        while bytes < 9e18 {
            let whole = Int64(bytes)
            #expect(ByteText.size(whole).count <= 8)
            #expect(ByteText.rate(bytes).count <= 10)
            #expect(ByteText.part(whole / 3, of: whole).count <= 13)
            bytes *= 1.01
        }
        #expect(ByteText.rate(.nan) == "0 B/s")
        #expect(ByteText.rate(.infinity) == "0 B/s")
    }

    @Test func `a part has the unit of the whole`() {
        #expect(ByteText.part(289_931_264, of: 659_554_304) == "277/629 MiB")
        #expect(ByteText.part(332_859_965, of: 2_072_317_338) == "0.31/1.93 GiB")
    }

    @Test(arguments: [
        (Duration.zero, "0:00"), (.seconds(9), "0:09"), (.seconds(3599), "59:59"),
        (.seconds(3723), "1:02:03"), (.seconds(86_340), "23h 59m"), (.seconds(788_400), "9d 03h"),
        (.seconds(-4), "0:00"), (.seconds(Int64.max), "> 99d"),
    ])
    func `times fit seven columns`(time: Duration, text: String) {
        #expect(TimeText.clock(time) == text)
    }

    @Test func `the environment of a terminal determines its style`() {
        let full = ["TERM": "xterm-256color", "LANG": "en_GB.UTF-8"]
        let traits = TerminalTraits(isTerminal: true, environment: full)
        #expect(traits.canRedraw && traits.style.isUnicode && traits.style.hasColours)

        func changed(_ name: String, _ value: String, isTerminal: Bool = true) -> TerminalTraits {
            TerminalTraits(
                isTerminal: isTerminal,
                environment: full.merging([name: value]) { $1 }
            )
        }
        #expect(!changed("NO_COLOR", "1").style.hasColours)
        #expect(changed("NO_COLOR", "").style.hasColours)
        #expect(!changed("TERM", "dumb").canRedraw)
        #expect(!changed("TERM", "xterm", isTerminal: false).canRedraw)
        #expect(!changed("LC_ALL", "C").style.isUnicode)
        #expect(changed("LC_ALL", "").style.isUnicode)
    }
}
