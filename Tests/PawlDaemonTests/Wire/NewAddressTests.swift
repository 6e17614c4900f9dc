import PawlCore
import PawlWire
import Testing

/// A download that gets another URL, other fields or other credentials.
@Suite(.timeLimit(.minutes(1)))
struct NewAddressTests {
    private func download() -> NewDownload {
        var settings = WireSettings()
        settings.fields = [
            WireSettings.Field(name: "X-Api-Key", value: "k3y"),
            WireSettings.Field(name: "X-Plain", value: "stays"),
        ]
        settings.credentials = WireSettings.SignIn(name: "nobody", password: "hunter2")
        settings.connections = 3
        return NewDownload(
            url: "https://host/a",
            destination: "/tmp/",
            settings: settings
        )
    }

    private func names(_ download: NewDownload) -> [String] {
        download.settings?.fields?.map(\.name) ?? []
    }

    @Test func `the same server keeps its secrets, another one gets none`() throws {
        var same = download()
        try same.change(url: "https://host/b?sig=1", fields: nil, credentials: nil)
        #expect(names(same) == ["X-Api-Key", "X-Plain"])
        #expect(same.settings?.credentials?.password == "hunter2")
        var other = download()
        try other.change(url: "https://evil/b", fields: nil, credentials: nil)
        #expect(other.settings?.fields?.contains { $0.name == "X-Api-Key" } != true)
        #expect(other.settings?.credentials == nil)
        #expect(other.settings?.connections == 3)
        #expect(other.url == "https://evil/b")
    }

    @Test func `what is given again in the same change is sent`() throws {
        var other = download()
        try other.change(
            url: "https://mirror/b",
            fields: [WireSettings.Field(name: "Cookie", value: "c=1")],
            credentials: WireSettings.SignIn(name: "me", password: "new")
        )
        #expect(names(other) == ["Cookie"])
        #expect(other.settings?.credentials?.name == "me")
        try other.change(url: nil, fields: [], credentials: nil)
        #expect(names(other).isEmpty)
        #expect(other.settings?.credentials?.name == "me")
    }

    @Test func `a field for every server stays one, also for another server`() throws {
        var moved = download()
        let field = WireSettings.Field(name: "X-Any", value: "v", anyOrigin: true)
        moved.settings?.fields?.append(field)
        for url in ["https://host/b", "https://other/b", "https://third/b"] {
            try moved.change(url: url, fields: nil, credentials: nil)
            #expect(moved.settings?.fields?.last == field, "\(url)")
        }
        #expect(names(moved) == ["X-Any"])
    }

    @Test func `what is no URL changes nothing`() {
        var other = download()
        #expect(throws: DownloadError.self) {
            try other.change(url: "file:///etc/passwd", fields: nil, credentials: nil)
        }
        #expect(other == download())
    }

    @Test func `a secret of a URL that nobody can read any more goes`() throws {
        var broken = download()
        broken.url = "https://ho st/a"
        try broken.change(url: "https://host/a", fields: nil, credentials: nil)
        #expect(!names(broken).contains("X-Api-Key"))
        #expect(broken.settings?.credentials == nil)
    }
}
