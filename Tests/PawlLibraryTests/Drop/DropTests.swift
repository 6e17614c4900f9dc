import struct FoundationEssentials.URL
import PawlCore
import PawlLibrary
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DropTests {
    private func read(_ text: String, _ kind: DropList.Kind) -> [DropItem]? {
        try? DropList.read(Array(text.utf8), kind) { "\($0.utf8.count)" }
    }

    private func reason(_ text: String, _ kind: DropList.Kind) -> String? {
        do throws(DropList.Fault) {
            _ = try DropList.read(Array(text.utf8), kind) { _ in "" }
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `a name determines the kind`() {
        #expect(DropList.Kind(fileName: "a.URL") == .url)
        #expect(DropList.Kind(fileName: "list.of.things.txt") == .txt)
        #expect(DropList.Kind(fileName: "a.json") == .json)
        for name in ["a", "a.txt~", ".hidden.txt", "a.part", "txt"] {
            #expect(DropList.Kind(fileName: name) == nil)
        }
    }

    @Test func `shortcuts of both systems and a bare URL are read`() {
        let url = "https://example.org/a.iso"
        let windows = "[InternetShortcut]\r\nIDList=\r\nURL=\(url)\r\nIconIndex=0\r\n"
        let desktop = "# made by hand\n[Desktop Entry]\nType=Link\nURL = \(url)\nIcon=text\n"
        for text in [windows, desktop, url, "\u{FEFF}\(url)\n"] {
            #expect(read(text, .url)?.map(\.url.absoluteString) == [url])
        }
        #expect(reason("[InternetShortcut]\nName=x\n[Other]\nURL=\(url)", .url) != nil)
        #expect(reason("\(url)\n\(url)", .url) == "it is neither a shortcut nor a single URL")
        #expect(reason("", .url) == "it is empty")
    }

    @Test func `a text has one URL per line`() throws {
        let text =
            "# all of it\n\nhttps://a.example/1\n  http://b.example/2  \n#https://no.example\n"
        let items = try #require(read(text, .txt))
        #expect(items.map(\.url.absoluteString) == ["https://a.example/1", "http://b.example/2"])
        #expect(items.map(\.key.text) == items.map(\.url.absoluteString))
        #expect(reason("https://a.example/1\nftp://b.example/2\n", .txt)?.contains("ftp") == true)
        #expect(reason("# nothing\n", .txt) == "it contains no URL")
        #expect((try? DropList.read([0xFF, 0xFE, 0xFF], .txt) { _ in "" }) == nil)
    }

    @Test func `JSON has strings and objects`() throws {
        let text = """
            ["https://a.example/1",
             {"url": "https://b.example/2", "key": "ключ", "name": "b.bin"}]
            """
        let items = try #require(read(text, .json))
        #expect(items.map(\.key) == ["https://a.example/1", "ключ"])
        #expect(items.map(\.name) == [nil, "b.bin"])
        for bad in ["{}", "[1]", "[{\"key\": \"a\"}]", "[", "[\"nothing\"]", "[]"] {
            #expect(reason(bad, .json) != nil)
        }
    }

    @Test func `the key of a signed URL is unique but reveals no secret`() throws {
        let urls = ["one", "other1"].map { "https://a.example/x?signature=\($0)&expires=9" }
        let keys = try #require(read(urls.joined(separator: "\n"), .txt)).map(\.key.text)
        #expect(Set(keys).count == 2)
        for key in keys { #expect(!key.contains("one") && !key.contains("other1")) }
        for key in keys { #expect(key.hasPrefix("https://a.example/x?")) }
        #expect(read(urls[0], .url)?.first?.url.absoluteString == urls[0])
    }

    @Test func `a file is complete when it has no writer and has not changed for a while`() {
        var settling = DropSettling(rest: .milliseconds(300))
        func stamp(_ size: Int64) -> FileStamp {
            FileStamp(device: 1, inode: 2, size: size, modified: size)
        }
        func check(_ size: Int64, _ hasWriter: Bool?) -> [ExactText: DropSettling.Check?] {
            ["a": DropSettling.Check(stamp: stamp(size), hasWriter: hasWriter)]
        }
        func at(_ milliseconds: Int64) -> Moment { Moment(nanoseconds: milliseconds * 1_000_000) }
        settling.noted("a", at: at(0))
        #expect(settling.checked(check(5, true), at: at(0)) == [])
        #expect(settling.checked(check(5, true), at: at(1000)) == [])
        #expect(settling.checked(check(9, false), at: at(1100)) == [])
        #expect(settling.checked(check(9, false), at: at(1399)) == [])
        #expect(settling.names == ["a"])
        #expect(settling.checked(check(9, false), at: at(1400)) == ["a"])
        #expect(settling.isIdle)
        // If the writer is unknown, or the file is empty, this takes longer.
        for (size, hasWriter) in [(9, nil), (0, false)] as [(Int64, Bool?)] {
            settling.noted("a", at: at(0))
            #expect(settling.checked(check(size, hasWriter), at: at(0)) == [])
            #expect(settling.checked(check(size, hasWriter), at: at(2399)) == [])
            #expect(settling.checked(check(size, hasWriter), at: at(2400)) == ["a"])
        }
        settling.noted("a", at: at(0))
        #expect(settling.checked(["a": DropSettling.Check?.none], at: at(1)) == [])
        #expect(settling.isIdle)
    }
}
