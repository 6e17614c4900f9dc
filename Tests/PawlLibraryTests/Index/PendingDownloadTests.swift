import struct FoundationEssentials.URL
import PawlCore
import PawlLibrary
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PendingDownloadTests {
    @Test func `a note is read as written, and contains none of the user's secrets`() throws {
        let url = try #require(URL(string: "https://example.org/a?signature=s3cret"))
        var pending = PendingDownload(key: "ключ\u{0}\n", name: "a.bin", url: url)
        pending.replaces = true
        pending.failure = PendingDownload.Failure(
            DownloadError(.notFound, "no such file", advice: "check it")
        )
        let read = try #require(PendingDownload(text: pending.text))
        #expect(read == pending)
        #expect(read.failure?.error.code == .notFound)
        let named = pending.text.replacing("https://", with: "https://name:password@")
        #expect(PendingDownload(text: named)?.url == url)
        // Notes of earlier versions have no download of the daemon.
        #expect(!pending.text.contains("background"))
        pending.background = PendingDownload.Background(session: "films", task: 7)
        #expect(PendingDownload(text: pending.text) == pending)
        // Notes of earlier versions do not have the member, either.
        #expect(!pending.text.contains("isOutdated"))
        pending.background?.isOutdated = true
        #expect(PendingDownload(text: pending.text) == pending)
    }

    @Test func `a note of version 1 can always be read`() throws {
        let text = """
            {"background":{"session":"films","task":7},\
            "failure":{"advice":"check the URL","code":"not-found","message":"no such file"},\
            "key":"album/17","name":"17.mp3","pawl":1,"replaces":true,"url":"https://a.example/b?c=d"}
            """
        let pending = try #require(PendingDownload(text: text))
        #expect(pending.key == "album/17")
        #expect(pending.name == "17.mp3")
        #expect(pending.url?.absoluteString == "https://a.example/b?c=d")
        #expect(pending.replaces)
        #expect(pending.failure?.error.code == .notFound)
        #expect(pending.failure?.message == "no such file")
        #expect(pending.background == PendingDownload.Background(session: "films", task: 7))
        #expect(pending.text == text)
        let first = #"{"key":"k","name":"a","pawl":1,"replaces":false}"#
        #expect(PendingDownload(text: first) == PendingDownload(key: "k", name: "a", url: nil))
    }

    @Test(arguments: [
        "", "{}", "[]", "\u{FF}", #"{"pawl":2,"key":"a","name":"a","replaces":false}"#,
        #"{"pawl":1,"key":"a","name":"../a","replaces":false}"#,
        #"{"pawl":1,"key":"a","name":"a.part","replaces":false}"#,
        #"{"pawl":1,"key":"a","name":"","replaces":false}"#,
    ])
    func `a damaged, newer or unsafe note is ignored`(text: String) {
        #expect(PendingDownload(text: text) == nil)
    }

    @Test func `names of notes are recognized`() {
        #expect(LibraryName.form(ofPending: LibraryName.pendingName(form: "a%20b")) == "a%20b")
        for name in ["a.pawl-download", ".pawl-download", ".a.pawl-record", ".a"] {
            #expect(LibraryName.form(ofPending: name) == nil)
        }
    }
}
