import PawlCore
import PawlWire
import Testing

/// A download that gets another URL, other fields or other credentials.
@Suite(.timeLimit(.minutes(5)))
struct NewAddressTests {
    private func download() -> NewDownload {
        var settings = SettingsDocument<DownloadSettings>()
        settings[\.fields] = [
            HTTPField(name: "X-Api-Key", value: "k3y"), HTTPField(name: "X-Plain", value: "stays"),
        ]
        settings[\.credentials] = Credentials(name: "nobody", password: "hunter2")
        settings[\.connections] = .fixed(3)
        return NewDownload(
            url: "https://host/a",
            destination: "/tmp/",
            settings: settings
        )
    }

    private let nothing = SettingsDocument<DownloadSettings>()

    private func fields(_ download: NewDownload) -> [HTTPField] {
        download.settings?[\.fields] ?? []
    }

    private func names(_ download: NewDownload) -> [String] { fields(download).map(\.name) }

    private func credentials(_ download: NewDownload) -> Credentials? {
        download.settings?[\.credentials] ?? nil
    }

    @Test func `the same server keeps its secrets, another one gets none`() throws {
        var same = download()
        try same.change(url: "https://host/b?sig=1", settings: nothing)
        #expect(names(same) == ["X-Api-Key", "X-Plain"])
        #expect(credentials(same)?.password == "hunter2")
        var other = download()
        try other.change(url: "https://evil/b", settings: nothing)
        #expect(!names(other).contains("X-Api-Key"))
        #expect(credentials(other) == nil)
        #expect(other.settings?[\.connections] == .fixed(3))
        #expect(other.url == "https://evil/b")
    }

    @Test func `secrets given in the same change are sent`() throws {
        var other = download()
        var changes = nothing
        changes[\.fields] = [HTTPField(name: "Cookie", value: "c=1")]
        changes[\.credentials] = Credentials(name: "me", password: "new")
        try other.change(url: "https://mirror/b", settings: changes)
        #expect(names(other) == ["Cookie"])
        #expect(credentials(other)?.name == "me")
        changes = nothing
        changes[\.fields] = []
        try other.change(url: nil, settings: changes)
        #expect(names(other).isEmpty)
        #expect(credentials(other)?.name == "me")
    }

    @Test func `a field for every server is kept for another server`() throws {
        var moved = download()
        let field = HTTPField(name: "X-Any", value: "v", isForAnyOrigin: true)
        let all = fields(moved) + [field]
        moved.settings?[\.fields] = all
        for url in ["https://host/b", "https://other/b", "https://third/b"] {
            try moved.change(url: url, settings: nothing)
            #expect(fields(moved).last == field, "\(url)")
        }
        #expect(names(moved) == ["X-Any"])
    }

    @Test func `an invalid URL changes nothing`() {
        var other = download()
        #expect(throws: DownloadError.self) {
            try other.change(url: "gopher://host/passwd", settings: nothing)
        }
        #expect(other == download())
    }

    @Test func `the secrets of an unreadable URL are dropped`() throws {
        var broken = download()
        broken.url = "https://ho st/a"
        try broken.change(url: "https://host/a", settings: nothing)
        #expect(!names(broken).contains("X-Api-Key"))
        #expect(credentials(broken) == nil)
    }
}
