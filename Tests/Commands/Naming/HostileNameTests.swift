import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct HostileNameTests {
    /// Names with which servers try to write elsewhere, to hide, to look like something else, or to
    /// control a terminal.
    static let names = [
        "../../evil", "..\\..\\evil.exe", "/etc/passwd", "C:\\Windows\\system.ini", "a/b\\c",
        "..", ".", "", "...", "   ", "/", "foo/", "foo/..", ". . .", "\u{202E}", ".bashrc",
        "...bashrc", " .bashrc", ". .bashrc", "\u{200F}.bashrc", "\u{FEFF}.bashrc", "-rf",
        ".-rf", "--output=x", "~", "~root", "~/.ssh/authorized_keys", "a\u{0}.txt",
        "evil.sh\u{0}.png", "a\nb", "a\r\nX-Injected: yes", "\u{1B}[31mred", "\u{1B}]0;title\u{7}",
        "\u{1B}[2J\u{1B}[H", "a\u{7F}b\u{9B}c", "photo\u{202E}gpj.exe", "a\u{2066}b\u{2069}c",
        "line\u{2028}break", "disk.iso.part", "disk.iso.part.pawl", ".part", ".part.pawl",
        "a;rm -rf $HOME`x`|&.txt", "%2e%2e%2fevil", String(repeating: "x", count: 400),
        String(repeating: "文", count: 150) + ".txt", "naïve 文件 🎉.txt",
        "\u{8}\u{8}\u{8}\u{8}hidden", "../\u{0}../evil", "....//....//evil",
    ]

    /// The names without characters that would end the field or that the transport refuses.
    static let namesForHeads = names.filter { name in
        !name.unicodeScalars.contains { ["\0", "\r", "\n"].contains($0) }
    }

    private let resource = Resource(size: 20_000)

    private func workshop(contentDisposition: String) throws -> Workshop {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).setting("Content-Disposition", contentDisposition))
        return workshop
    }

    /// One file is in the folder that was given, it is the resource, and nothing is elsewhere.
    private func expectHarmless(_ workshop: Workshop, _ run: FinishedProcess) throws {
        #expect(run.status == .code(0), "\(run.errors)")
        let entries = FolderTree.entries(below: workshop.folder.path)
        #expect(entries.prefix(2) == ["here/", "here/deep/"])
        let file = try #require(entries.dropFirst(2).first)
        #expect(entries.count == 3, "\(entries)")
        #expect(file.hasPrefix("here/deep/"))
        let name = String(file.dropFirst("here/deep/".count))
        #expect(!name.isEmpty && name.utf8.count <= 255)
        #expect(!name.contains("/"))
        #expect(![".", "-", "~", " "].contains(name.first))
        #expect(!name.hasSuffix(".part") && !name.hasSuffix(".part.pawl"))
        #expect(!name.unicodeScalars.contains(where: isHarmful))
        try expectExact(file, resource, in: workshop)
        let shown = run.everything.unicodeScalars.filter { $0 != "\n" }
        #expect(!shown.contains(where: isHarmful), "\(run.everything.debugDescription)")
    }

    /// Control characters, and characters that change the direction of a line.
    private func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }

    @Test(arguments: names)
    func `a hostile name of the server becomes a harmless one`(name: String) async throws {
        let workshop = try workshop(
            contentDisposition: "attachment; filename*=UTF-8''" + percentEncoded(name)
        )
        let run = try await workshop.run(workshop.url, "-d", "here/deep", "-v")
        try expectHarmless(workshop, run)
    }

    /// As raw bytes in the head, if the protocol allows them.
    @Test(arguments: namesForHeads)
    func `a hostile quoted name becomes a harmless one`(name: String) async throws {
        let escaped = name.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        let workshop = try workshop(
            contentDisposition: "attachment; filename=\"\(String(escaped))\""
        )
        let run = try await workshop.run(
            workshop.url,
            "-d",
            "here/deep",
            "--progress",
            "json"
        )
        try expectHarmless(workshop, run)
    }

    @Test(arguments: [
        "/%2e%2e%2fevil", "/..%2f..%2fevil", "/..%5C..%5Cevil", "/.bashrc", "/%1b%5b31mred", "/%00",
        "/a%0d%0ab", "/-rf", "/%e2%80%aetxt.exe", "/disk.iso.part", "/", "/~root",
    ])
    func `a hostile name in the URL becomes a harmless one`(path: String) async throws {
        let workshop = try Workshop()
        workshop.origin.routeDefault(.resource(resource))
        let run = try await workshop.run(
            workshop.origin.url(path),
            "-d",
            "here/deep",
            "-v"
        )
        try expectHarmless(workshop, run)
    }

    @Test func `a hostile reason and redirect are cleaned before they are printed`() async throws {
        let workshop = try Workshop()
        workshop.serve(.status(418).reason("\u{1B}[31mtea\u{7}\u{9B}2J"), at: "/tea")
        workshop.serve(
            .redirect(to: "javascript:\u{1B}]0;owned\u{7}alert(1)"),
            at: "/away"
        )
        for path in ["/tea", "/away"] {
            let run = try await workshop.run(workshop.origin.url(path), "-v")
            #expect(run.status != .code(0))
            let shown = run.everything.unicodeScalars.filter { $0 != "\n" }
            #expect(!shown.contains(where: isHarmful), "\(run.everything.debugDescription)")
        }
    }
}
