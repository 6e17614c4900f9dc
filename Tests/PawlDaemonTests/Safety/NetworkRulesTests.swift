import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct NetworkRulesTests {
    private let rules = NetworkRules(folders: ["/home/me/Downloads", "/srv/files/", "/srv"])

    private func confine(_ destination: String) throws -> NewDownload {
        try rules.confine(NewDownload(url: "https://example.org/a", destination: destination))
    }

    @Test(
        arguments: [
            ("/home/me/Downloads/", "/home/me/Downloads"),
            ("/home/me/Downloads/a.iso", "/home/me/Downloads"),
            ("/home/me/Downloads/sub/a.iso", "/home/me/Downloads"),
            ("/home/me//Downloads/./a", "/home/me/Downloads"), ("/srv/files/a", "/srv/files/"),
            ("/srv/a", "/srv"), ("", "/home/me/Downloads"), ("sub/", "/home/me/Downloads"),
            ("a.iso", "/home/me/Downloads"),
        ]
    )
    func `what lies in an allowed folder is kept to it`(path: String, root: String) throws {
        let new = try confine(path)
        #expect(new.confinedTo == root)
        #expect(new.destination.hasPrefix("/"))
    }

    @Test(arguments: [".", "sub/.", "/srv/."])
    func `a folder is no file's name`(path: String) {
        let error = #expect(throws: DownloadError.self) { try confine(path) }
        #expect(error?.code == .usage)
        #expect(error?.advice == "end it with a slash")
    }

    @Test(
        arguments: [
            "/etc/passwd", "/home/me/", "/home/me/Downloads", "/home/me/DownloadsX/a",
            "/home/me/Downloads/../.bashrc", "/home/me/Downloads/a/../../.bashrc", "../a", "..",
            "sub/../../a", "/", "/../srv/a", "/home/me/Downloads/..",
        ]
    )
    func `what does not is refused`(path: String) {
        let error = #expect(throws: DownloadError.self) { try confine(path) }
        #expect(error?.code == .notAllowed)
    }

    @Test func `where no folder is allowed, nothing is`() {
        let rules = NetworkRules(folders: [])
        for path in ["a", "/tmp/a"] {
            #expect(throws: DownloadError.self) {
                try rules.confine(NewDownload(url: "https://example.org/a", destination: path))
            }
        }
    }

    @Test func `who asks does not say where it may go`() throws {
        var lying = NewDownload(url: "https://example.org/a", destination: "/srv/a")
        lying.confinedTo = "/"
        #expect(try rules.confine(lying).confinedTo == "/srv")
    }
}
