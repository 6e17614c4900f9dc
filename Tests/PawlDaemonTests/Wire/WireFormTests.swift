import FoundationEssentials
import PawlCore
import PawlWire
import Testing

/// The forms that other programs rely on.
@Suite(.timeLimit(.minutes(5)))
struct WireFormTests {
    private typealias Document = SettingsDocument<DownloadSettings>

    /// The settings as the daemon reads them.
    private func checked(_ settings: Document) throws -> DownloadSettings {
        try NewDownload(url: "https://host/a", destination: "/tmp/a", settings: settings).checked()
            .settings
    }

    private let noon = Date(timeIntervalSince1970: 1_795_262_400)

    private func expect<Value: Codable & Equatable>(
        _ value: Value,
        is json: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let written = String(decoding: try WireJSON.encode(value), as: UTF8.self)
        #expect(written == json, sourceLocation: sourceLocation)
        let read = try WireJSON.decode(Value.self, from: json.utf8)
        #expect(read == value, sourceLocation: sourceLocation)
    }

    @Test func `a download has its JSON form`() throws {
        var download = WireDownload(
            id: 7,
            state: .waiting,
            name: "disk.iso",
            url: "https://host/disk.iso",
            createdAt: noon
        )
        download.destination = "/tmp/"
        try expect(
            download,
            is: #"{"completedBytes":0,"createdAt":"2026-11-21T12:00:00Z","destination":"/tmp/","#
                + #""id":7,"name":"disk.iso","position":7,"priority":"normal","state":"waiting","#
                + #""url":"https://host/disk.iso"}"#
        )
    }

    @Test func `a failed download has its JSON form`() throws {
        var download = WireDownload(id: 1, state: .failed, name: "a", url: "b", createdAt: noon)
        download.problem = Problem(DownloadError(.notFound, "gone", advice: "look"))
        download.endedAt = noon
        try expect(
            download,
            is: #"{"completedBytes":0,"createdAt":"2026-11-21T12:00:00Z","destination":"","#
                + #""endedAt":"2026-11-21T12:00:00Z","id":1,"name":"a","position":1,"#
                + #""priority":"normal","problem":{"advice":"look","code":"not-found","#
                + #""retry":"elsewhere","title":"gone","type":"urn:pawl:not-found"},"#
                + #""state":"failed","url":"b"}"#
        )
    }

    @Test func `the segments of a download have their JSON form`() throws {
        var download = WireDownload(id: 7, state: .running, name: "a", url: "b", createdAt: noon)
        download.totalBytes = 100
        var map = SegmentMap()
        map.written = RangeSet([ByteRange(0, 10), ByteRange(50, 60)])
        map.segments = [
            SegmentMap.ConnectionRange(number: 1, written: ByteRange(0, 10), end: 50, host: "a:8"),
            SegmentMap.ConnectionRange(number: 2, written: ByteRange(50, 60), end: .max),
        ]
        try expect(
            WireSegments(download, map),
            is:
                #"{"completedBytes":0,"connections":[{"from":0,"host":"a:8","number":1,"position":10,"to":50},"#
                + #"{"from":50,"number":2,"position":60}],"id":7,"state":"running","#
                + #""totalBytes":100,"written":[{"from":0,"to":10},{"from":50,"to":60}]}"#
        )
    }

    @Test func `the segments of an idle download have their JSON form`() throws {
        var download = WireDownload(id: 7, state: .paused, name: "a", url: "b", createdAt: noon)
        (download.completedBytes, download.totalBytes) = (25, 100)
        try expect(
            WireSegments(download, written: [ByteRange(0, 10), ByteRange(50, 60)]),
            is: #"{"completedBytes":20,"connections":[],"id":7,"state":"paused","#
                + #""totalBytes":100,"written":[{"from":0,"to":10},{"from":50,"to":60}]}"#
        )
        try expect(
            WireSegments(download, written: nil),
            is: #"{"completedBytes":25,"connections":[],"id":7,"state":"paused","totalBytes":100}"#
        )
    }

    @Test func `an event has its JSON form`() throws {
        var event = WireEvent(id: 3, kind: .finished, download: 7, name: "disk.iso", at: noon)
        event.path = "/tmp/disk.iso"
        event.completedBytes = 10
        event.totalBytes = 10
        try expect(
            event,
            is: #"{"at":"2026-11-21T12:00:00Z","completedBytes":10,"download":7,"id":3,"#
                + #""kind":"finished","name":"disk.iso","path":"/tmp/disk.iso","totalBytes":10}"#
        )
    }

    @Test func `a new download with all members has its JSON form`() throws {
        var settings = DownloadSettings()
        settings.fields = [HTTPField(name: "Cookie", value: "a=b")]
        settings.credentials = Credentials(name: "n", password: "p")
        settings.connections = .fixed(3)
        settings.checksum = .none
        settings.stallTimeout = .seconds(5)
        settings.resumes = false
        var new = NewDownload(
            url: "https://host/a",
            destination: "/tmp/a",
            settings: SettingsDocument(settings)
        )
        new.priority = .high
        new.isPaused = true
        try expect(
            new,
            is: #"{"destination":"/tmp/a","isPaused":true,"priority":"high","settings":{"#
                + #""checksum":"none","connections":3,"credentials":{"name":"n","password":"p"},"#
                + #""fields":[{"name":"Cookie","value":"a=b"}],"resumes":false,"#
                + #""stallTimeoutSeconds":5},"url":"https://host/a"}"#
        )
    }

    @Test func `settings are read as they were written`() throws {
        var settings = DownloadSettings()
        settings.fields = [HTTPField(name: "X-A", value: "b")]
        settings.connections = .fixed(4)
        settings.ifExists = .overwrite
        settings.retries = 3
        settings.maximumDuration = .seconds(90)
        settings.minimumBytesPerSecond = 1000
        settings.connection.userAgent = "me"
        settings.connection.allowsUntrustedCertificates = true
        settings.allowsInsecureRedirects = true
        let back = try checked(SettingsDocument(settings))
        settings.waitsForConnectivity = true
        #expect(SettingsDocument(back) == SettingsDocument(settings))
        // No user waits in the foreground of the daemon.
        #expect(back.waitsForConnectivity)
    }

    @Test(arguments: [
        #"{"connections":0}"#, #"{"connections":65}"#, #"{"checksum":"sha256=12"}"#,
        #"{"retries":-1}"#, #"{"stallTimeoutSeconds":0}"#, #"{"maximumSeconds":-3}"#,
        #"{"fields":[{"name":"a b","value":"c"}]}"#, #"{"fields":[{"name":"a","value":"b\r\nc"}]}"#,
        #"{"mirrors":["gopher://host/a"]}"#, #"{"authoritiesFile":"relative"}"#,
        #"{"userAgent":"a\nb"}"#, #"{"adoptsPartialFile":true}"#,
    ])
    func `invalid settings of a download are refused`(json: String) throws {
        let settings = try WireJSON.decode(Document.self, from: json.utf8)
        #expect(throws: DownloadError.self) { try checked(settings) }
    }

    @Test func `a download without an absolute path or a valid URL is refused`() {
        var unnamed = NewDownload(url: "https://host/a", destination: "/tmp/")
        unnamed.session = ""
        for new in [
            unnamed,
            NewDownload(
                url: "https://host/" + String(repeating: "a", count: 40_000),
                destination: "/tmp/"
            ),
            NewDownload(url: "https://host/a", destination: "relative"),
            NewDownload(url: "gopher://host/a", destination: "/tmp/"),
            NewDownload(url: "", destination: "/tmp/"),
        ] {
            #expect(throws: DownloadError.self) { try new.checked() }
        }
    }

    @Test func `invalid JSON is an error that names the location`() {
        let json = #"{"downloads":[{"url":1,"destination":"/"}]}"#
        let error = #expect(throws: DownloadError.self) {
            try WireJSON.decode(NewDownloads.self, from: json.utf8)
        }
        #expect(error?.message == "'downloads.1.url': expected a string")
    }

    @Test(arguments: [
        (
            #""settings":{"connections":1.5}"#,
            "'connections': '1.5' is not a number from 1 to 64"
        ),
        (
            #""settings":{"limitBytesPerSecond":18446744073709551615}"#,
            "'limitBytesPerSecond': '1.8446744073709552e+19' is not a rate"
        ),
        (#""taskIdentifier":1e30"#, "a number in it is out of range"),
        (
            #""priority":"urgent""#,
            "'downloads.1.priority': invalid value 'urgent'; use one of low, normal, high"
        ),
        (
            #""notBefore":"soon""#,
            "'downloads.1': a time must have the form 2026-11-22T22:00:00Z (RFC 3339)"
        ),
    ])
    func `a value that does not fit is described in Pawl's words`(member: String, reason: String) {
        let json = #"{"downloads":[{"url":"http://a/b","destination":"/",\#(member)}]}"#
        let error = #expect(throws: DownloadError.self) {
            try WireJSON.decode(NewDownloads.self, from: json.utf8).downloads[0].checked()
        }
        #expect(error?.message.hasSuffix(reason) == true, "\(error?.message ?? "")")
    }

    @Test func `mirrors are limited in number and length`() throws {
        let urls = (0...64).map { JSONValue.text("http://host/\($0)") }
        var settings = Document()
        settings[member: "mirrors"] = .list(urls.dropLast())
        #expect(try checked(settings).mirrors.count == 64)
        settings[member: "mirrors"] = .list(urls)
        #expect(throws: DownloadError.self) { try checked(settings) }
        let long = "http://host/" + String(repeating: "a", count: 32 << 10)
        settings[member: "mirrors"] = .list([.text(long)])
        #expect(throws: DownloadError.self) { try checked(settings) }
    }

    @Test func `a minimum speed is not negative`() throws {
        var settings = Document()
        settings[member: "minimumBytesPerSecond"] = -1
        let error = #expect(throws: DownloadError.self) { try checked(settings) }
        #expect(error?.code == .usage)
        settings[member: "minimumBytesPerSecond"] = 0
        #expect(try checked(settings).minimumBytesPerSecond == 0)
    }

    @Test func `a list's parameters are read as they were written`() throws {
        var query = ListQuery()
        query.states = [.paused, .running]
        query.session = "nightly"
        query.targets = ["7", "*.iso"]
        query.after = 12
        query.newestFirst = true
        query.limit = 5
        let pairs = query.parameters.map { (name: $0.key, value: $0.value) }
        #expect(try ListQuery(parameters: pairs) == query)
        for (name, value) in [("limit", "0"), ("state", "odd"), ("order", "up")] {
            #expect(throws: DownloadError.self) {
                try ListQuery(parameters: [(name: name, value: value)])
            }
        }
    }

    @Test func `the daemon's paths follow the environment`() throws {
        let full = PlaceSurroundings(
            variables: ["XDG_RUNTIME_DIR": "/run/user/7", "XDG_STATE_HOME": "/state"],
            homeOfUser: "/home/me",
            user: 7
        )
        let paths = try DaemonPaths(full)
        #expect(paths.socket == "/run/user/7/pawl/daemon.sock")
        #expect(paths.store == "/state/pawl/queue.sqlite")
        let bare = PlaceSurroundings(variables: [:], homeOfUser: "/home/me", user: 7)
        #expect(try DaemonPaths(bare).socket == "/home/me/.local/state/pawl/daemon.sock")
        let none = PlaceSurroundings(variables: [:], homeOfUser: nil, user: 7)
        #expect(throws: DownloadError.self) { try DaemonPaths(none) }
        let deep = PlaceSurroundings(
            variables: ["XDG_RUNTIME_DIR": "/" + String(repeating: "d", count: 100)],
            homeOfUser: "/home/me",
            user: 7
        )
        #expect(throws: DownloadError.self) { try DaemonPaths(deep) }
    }
}
