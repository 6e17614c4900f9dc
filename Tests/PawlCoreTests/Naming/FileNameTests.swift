import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FileNameTests {
    /// Names that servers send to write elsewhere, to hide, or to look like something else.
    static let hostile: [(String, String?)] = [
        ("../../evil", "evil"),
        ("..\\..\\evil.exe", "evil.exe"),
        ("/etc/passwd", "passwd"),
        ("C:\\Windows\\system.ini", "system.ini"),
        ("a/b\\c", "c"),
        ("..", nil),
        (".", nil),
        ("", nil),
        ("...", nil),
        ("   ", nil),
        ("/", nil),
        ("foo/", nil),
        ("foo/..", nil),
        (". . .", nil),
        ("\u{202E}", nil),
        (".bashrc", "bashrc"),
        ("...bashrc", "bashrc"),
        (" .bashrc", "bashrc"),
        (". .bashrc", "bashrc"),
        ("\u{200F}.bashrc", "bashrc"),
        ("\u{FEFF}.bashrc", "bashrc"),
        ("-rf", "_rf"),
        (".-rf", "_rf"),
        ("--output=x", "_-output=x"),
        ("~", "_"),
        ("~root", "_root"),
        ("~/.ssh/authorized_keys", "authorized_keys"),
        ("a\u{0}.txt", "a_.txt"),
        ("evil.sh\u{0}.png", "evil.sh_.png"),
        ("a\nb", "a b"),
        ("a\r\nb", "a  b"),
        ("\u{1B}[31mred", "_[31mred"),
        ("a\u{7F}b\u{9B}c", "a_b_c"),
        ("photo\u{202E}gpj.exe", "photogpj.exe"),
        ("a\u{2066}b\u{2069}c", "abc"),
        ("line\u{2028}break", "line break"),
        (" spaced .txt ", "spaced .txt"),
        ("\u{A0}\u{3000}x\u{2003}", "x"),
        ("bad\u{FFFD}bytes", "bad_bytes"),
        ("disk.iso.part", "disk.iso_part"),
        ("disk.iso.part.pawl", "disk.iso.part_pawl"),
        ("disk.iso.PART ", "disk.iso_PART"),
        ("disk.iso.part.1", "disk.iso_part.1"),
        ("disk.iso.part.pawl.12", "disk.iso.part_pawl.12"),
        ("disk.iso.part.pawl.new", "disk.iso.part_pawl.new"),
        ("disk.iso.corrupt", "disk.iso_corrupt"),
        ("disk.iso.corrupt.2", "disk.iso_corrupt.2"),
        ("disk.part1.rar", "disk.part1.rar"),
        ("disk.part.", "disk.part."),
        ("brand.new", "brand.new"),
        (".part", "part"),
        ("naïve 文件 🎉.txt", "naïve 文件 🎉.txt"),
        ("a;rm -rf $HOME`x`|&.txt", "a;rm -rf $HOME`x`|&.txt"),
        ("%2e%2e%2fevil", "%2e%2e%2fevil"),
        ("archive.tar.gz", "archive.tar.gz"),
    ]

    @Test(arguments: hostile)
    func `a hostile name becomes safe`(raw: String, expected: String?) {
        #expect(FileName.clean(raw) == expected)
    }

    @Test func `a dot with an accent does not hide a file`() {
        let name = FileName.clean(".\u{301}bashrc")
        #expect(name?.utf8.first != UInt8(ascii: "."))
    }

    @Test func `a long name is cut and keeps its extension`() throws {
        let name = try #require(FileName.clean("é".repeated(300) + ".tar.gz"))
        #expect(name.utf8.count == 239)
        #expect(name == "é".repeated(116) + ".tar.gz")
        #expect(FileName.clean("x".repeated(300)) == "x".repeated(240))
        #expect(FileName.clean("x".repeated(240)) == "x".repeated(240))
        let families = "👨‍👩‍👧‍👦".repeated(40) + ".txt"
        #expect(FileName.clean(families) == "👨‍👩‍👧‍👦".repeated(9) + ".txt")
    }

    @Test func `a character longer than the limit is cut, too`() throws {
        let name = try #require(FileName.clean("a" + "\u{301}".repeated(5000) + ".txt"))
        #expect((200...240).contains(name.utf8.count))
        #expect(name.hasSuffix(".txt"))
    }

    @Test func `a name cut to that of a partial file is changed`() throws {
        let name = try #require(FileName.clean("x".repeated(235) + ".part of a name"))
        #expect(name == "x".repeated(235) + "_part")
    }

    @Test func `cleaning random names is safe and idempotent`() throws {
        var random = TestSeed.generator("file names")
        let alphabet: [Unicode.Scalar] = [
            ".", "/", "\\", "-", "~", " ", "a", "\u{0}", "\n", "\u{202E}", "\u{301}", "文", "🎉",
            "\u{200D}", "\u{FFFD}", "\u{FEFF}", "p", "t", "r", "\u{85}", "\u{1F1E6}",
        ]
        for _ in 0..<20_000 {
            var raw = String.UnicodeScalarView()
            let count = Int.random(in: 0...(random.next() % 50 == 0 ? 400 : 12), using: &random)
            for _ in 0..<count {
                raw.append(alphabet.randomElement(using: &random) ?? ".")
            }
            guard let name = FileName.clean(String(raw)) else { continue }
            let isSafe =
                !name.isEmpty && name.utf8.count <= 240
                && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
                && !name.unicodeScalars.contains(where: \.isUnsafeToShow)
                && ![".", "-", "~", " "].contains(name.unicodeScalars.first)
            #expect(isSafe, "\(String(raw).debugDescription)")
            #expect(
                FileName.clean(name) == name,
                "\(name.debugDescription)"
            )
        }
    }

    @Test(arguments: [
        ("disk.iso", 1, "disk.1.iso"),
        ("disk.iso", 27, "disk.27.iso"),
        ("archive.tar.gz", 1, "archive.1.tar.gz"),
        ("Archive.TAR.zst", 2, "Archive.2.TAR.zst"),
        ("README", 1, "README.1"),
        ("pkg-1.2.3", 1, "pkg-1.2.3.1"),
        ("song.mp3", 1, "song.1.mp3"),
        (".bashrc", 1, ".bashrc.1"),
        (".tar.gz", 1, ".tar.1.gz"),
        ("Dr. Who", 1, "Dr. Who.1"),
        ("x.", 1, "x..1"),
        ("x.averyveryverylongending", 1, "x.averyveryverylongending.1"),
    ])
    func `a number is put before the extension`(name: String, number: Int, expected: String) {
        #expect(FileName.numbered(name, number) == expected)
    }

    @Test(arguments: ["disk.iso", "archive.tar.gz", "plain", "1.2.3", ".hidden", "a.b c", "文.7z"])
    func `the number of a numbered name is found`(name: String) {
        for number in [1, 2, 10, 9999] {
            let numbered = FileName.numbered(name, number)
            #expect(FileName.number(in: numbered) == number)
            #expect(FileName.withoutNumber(numbered)?.name == name)
        }
    }

    @Test(arguments: ["disk.iso", "plain", "a.01.iso", "a..iso", "a.1x.iso", "", "1"])
    func `a name without a number has none`(name: String) {
        #expect(FileName.number(in: name) == nil)
    }

    @Test func `a numbered name obeys the length limit`() {
        let name = FileName.numbered("x".repeated(236) + ".iso", 1234)
        #expect(name == "x".repeated(231) + ".1234.iso")
        #expect(FileName.numbered("文".repeated(80), .max).utf8.count <= 240)
    }

    @Test func `a name given by the user must leave room for the checkpoint's suffix`() {
        #expect(!FileName.isTooLong("x".repeated(245)))
        #expect(FileName.isTooLong("x".repeated(246)))
        #expect(FileName.isTooLong("文".repeated(82)))
    }
}
