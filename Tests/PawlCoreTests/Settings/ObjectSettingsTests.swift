import PawlCore
import Testing
import struct FoundationEssentials.URL

/// The settings of downloads that become objects.
@Suite(.timeLimit(.minutes(5)))
struct ObjectSettingsTests {
    private func settings(_ name: String, _ value: String) throws -> DownloadSettings {
        var settings = DownloadSettings()
        try #require(DownloadSettings.table[name: name]).parse(&settings, value)
        return settings
    }

    @Test(
        arguments: [
            ("remote-time", "true"), ("xattr", "true"), ("adopt", "true"), ("unpack", "true"),
            ("move", "name=* -> /tmp"),
        ]
    )
    func `a setting about a file is refused`(name: String, value: String) throws {
        var settings = try settings(name, value)
        #expect(settings.fileSettings.map(\.name) == [name])
        let error = #expect(throws: DownloadError.self) { try settings.checkForObject() }
        #expect(error?.code == .usage)
        settings.removeFileSettings()
        try settings.checkForObject()
        #expect(settings == DownloadSettings())
    }

    @Test(arguments: [("move", "none"), ("unpack", "false"), ("if-exists", "overwrite")])
    func `a setting that is not about a file is accepted`(name: String, value: String) throws {
        try settings(name, value).checkForObject()
    }

    @Test func `the service gets the settings of the connection, and nothing that is secret`() {
        var settings = DownloadSettings()
        settings.connection.s3.endpoint = URL(string: "https://minio.example/")
        settings.connection.s3.region = "eu-west-3"
        settings.credentials = Credentials(name: "name", password: "password")
        settings.fields = [HTTPField(name: "Cookie", value: "a=b")]
        settings.connection.referer = URL(string: "https://host/")
        settings.connection.clientIdentity.keyPassword = "password"
        let service = settings.ofService
        #expect(service.connection.s3 == settings.connection.s3)
        #expect(service.credentials == nil)
        #expect(service.fields.isEmpty)
        #expect(service.connection.referer == nil)
        #expect(service.connection.clientIdentity.keyPassword == nil)
    }
}
