import struct FoundationEssentials.URL
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OriginSecretsTests {
    private let fields = [
        HTTPField(name: "Cookie", value: "a=b"), HTTPField(name: "X-Api-Key", value: "k"),
        HTTPField(name: "Authorization", value: "Bearer t"), HTTPField(name: "X-Own", value: "1"),
    ]
    private let credentials = Credentials(name: "nobody", password: "hunter2")

    private func settings(from old: String?, to new: String?) -> DownloadSettings {
        var settings = DownloadSettings()
        (settings.fields, settings.credentials) = (fields, credentials)
        settings.connection.referer = URL(string: "https://host/page?token=1")
        settings.body = Array("password=hunter2".utf8)
        return settings.moved(
            from: old.flatMap { URL(string: $0) },
            to: new.flatMap { URL(string: $0) }
        )
    }

    @Test(arguments: ["https://host/b?sig=2", "https://HOST:443/", "https://user@host/c"])
    func `secrets are kept within their origin`(new: String) {
        let moved = settings(from: "https://host/a", to: new)
        #expect(moved.fields.map(\.name) == fields.map(\.name))
        #expect(moved.credentials == credentials)
        #expect(moved.connection.referer != nil)
        #expect(!moved.body.isEmpty)
    }

    @Test(
        arguments: [
            "http://host/a", "https://host:444/a", "https://other/a", "https://host.evil/a",
            "gopher://host/a", "https:///a", nil,
        ]
    )
    func `no secret is sent to another or unknown origin`(new: String?) {
        for (old, new) in [("https://host/a", new), (new, "https://host/a")] as [(String?, String?)]
        {
            let moved = settings(from: old, to: new)
            let secrets = moved.fields.filter { SecretField.isSecret($0.name) }
            #expect(secrets.isEmpty, "\(old ?? "-") to \(new ?? "-")")
            #expect(moved.credentials == nil)
            #expect(moved.connection.referer == nil)
            #expect(moved.body.isEmpty)
        }
    }

    @Test(arguments: ["https://other/a", "gopher://host/a", "https:///a", nil])
    func `a field given for one origin is sent to no other, known or unknown`(new: String?) {
        var settings = DownloadSettings()
        settings.fields = [
            HTTPField(name: "X-Own", value: "1"),
            HTTPField(name: "X-Any", value: "2", isForAnyOrigin: true),
            HTTPField(name: "Accept-Language", value: "de"),
        ]
        let known = URL(string: "https://host/a")
        let other = new.flatMap { URL(string: $0) }
        for (old, new) in [(known, other), (other, known)] {
            let fields = settings.moved(from: old, to: new).fields
            #expect(fields.map(\.name) == ["X-Any", "Accept-Language"])
        }
    }
}
