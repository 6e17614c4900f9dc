import FoundationEssentials
import PawlCore
import Testing

/// Names of files after titles.
@Suite(.timeLimit(.minutes(5)))
struct TitleNameTests {
    private func name(
        _ title: String,
        _ address: String = "https://host.example/a.mp3",
        _ mediaType: String? = nil
    ) throws -> String? {
        FileName.after(title: title, url: try #require(URL(string: address)), mediaType: mediaType)
    }

    @Test func `the extension is that of the URL, otherwise that of the media type`() throws {
        let host = "https://host.example"
        #expect(try name("Talk") == "Talk.mp3")
        #expect(try name("Talk", "\(host)/a.m4a", "audio/mpeg") == "Talk.m4a")
        #expect(try name("Talk", "\(host)/get", "Audio/MPEG; x=1") == "Talk.mp3")
        #expect(try name("Talk", "\(host)/get.php?id=1", "video/mp4") == "Talk.mp4")
        #expect(try name("Talk", "\(host)/get.php", "application/octet-stream") == "Talk.php")
        #expect(try name("Talk", "\(host)/get") == "Talk")
        #expect(try name("Release 1.2", "\(host)/r.tar.gz") == "Release 1.2.tar.gz")
    }

    @Test func `an extension or dots at the end of a title are not doubled`() throws {
        #expect(try name("Talk.MP3") == "Talk.mp3")
        #expect(try name("What next ...") == "What next.mp3")
    }

    @Test func `a title becomes one name, whatever is in it`() throws {
        #expect(try name("AC/DC, part 1\\2") == "AC-DC, part 1-2.mp3")
        #expect(try name("../../etc/passwd") == "_..-etc-passwd.mp3")
        #expect(try name(" .hidden\u{202E} \u{7}") == "hidden _.mp3")
        // Pawl uses names of this form itself.
        #expect(try name("disk.iso.part", "https://host.example/") == "disk.iso_part")
        let long = try #require(try name(String(repeating: "é", count: 300)))
        #expect(long.utf8.count <= FileName.longestBytes && long.hasSuffix("é.mp3"))
    }

    @Test(arguments: ["", " ", "...", ".mp3"])
    func `a title of which nothing is left is no name`(title: String) throws {
        #expect(try name(title) == nil)
    }
}
