import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("disk.iso", 8), ("日本語", 6), ("한국어", 6), ("\u{1112}\u{1161}\u{11AB}", 2),
        ("e\u{301}", 1), ("é", 1), ("🎉", 2), ("👨‍👩‍👧‍👦", 2), ("❤️", 2), ("👍🏽", 2), ("🇩🇪", 2),
        ("1️⃣", 2), ("ｆｕｌｌ", 8), ("ﾊﾝｶｸ", 4), ("a\u{200B}b", 2), ("\u{FFFD}", 1), ("…", 1),
        ("▕█▏", 3), ("क्षि", 3), ("م", 1),
    ])
    func `the width of text is that of a terminal`(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test(arguments: [
        ("debian-12.5.0-amd64-netinst.iso", 16, "debian-12…st.iso"),
        ("short.iso", 16, "short.iso"), ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…fg"),
        ("abcdef", 3, "ab…"), ("abcdef", 2, "ab"), ("abcdef", 0, ""),
        ("日本語日本語.iso", 9, "日本….iso"),
    ])
    func `a long name is shortened in the middle`(name: String, columns: Int, expected: String) {
        #expect(name.shortened(toColumns: columns) == expected)
    }

    @Test func `a shortened name never exceeds its width`() {
        for name in hostileNames {
            for columns in 0...40 {
                let short = name.sanitized.shortened(toColumns: columns)
                #expect(DisplayWidth.of(short) <= columns, "\(name.debugDescription), \(columns)")
            }
        }
    }
}

/// Names that break displays.
let hostileNames: [String] = [
    "", " ", "a", "disk.iso", String(repeating: "x", count: 255), "日本語のファイル名.tar.gz",
    String(repeating: "漢", count: 85), "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦.zip", String(repeating: "🇩🇪", count: 30),
    "e\u{301}\u{301}\u{301}.txt",
    "\u{301}\u{302}leading", "\u{1B}[31mred\u{1B}[0m", "two\nlines", "tab\tbed", "\r\rback",
    "\u{202E}gpj.exe", "\u{200D}\u{200D}\u{200D}", "a\u{0}b", "ﾊﾝｶｸ.iso", "क्षत्रिय.pdf",
    "\u{1112}\u{1161}\u{11AB}".description + "글.hwp", "…………", "ｆｕｌｌ.iso", "\u{AD}soft\u{AD}",
    String(repeating: "👍🏽", count: 40), "a\u{FE0F}b", "🏴󠁧󠁢󠁳󠁣󠁴󠁿.svg", "\u{FEFF}bom.txt",
]
