import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DownloadBatchTests {
    private static let url = "https://host.example/disk.iso"

    @Test func `a URL alone goes into the current folder with the defaults`() throws {
        let download = try download([])
        #expect(download.destination == .directory("."))
        #expect(download.settings.connections == .automatic)
        #expect(download.settings.checksum == .fromServer)
        #expect(download.settings.ifExists == .rename)
        #expect(download.settings.resumes)
        #expect(download.workingName == "disk.iso")
    }

    @Test func `every option reaches the settings`() throws {
        let settings = try download([
            .init("connections", "4"), .init("checksum", "none"), .init("header", "A: b"),
            .init("header", "C: d"), .init("user-agent", "me/1"), .init("user", "n:p"),
            .init("insecure", "true"), .init("cacert", "/dev/null"), .init("if-exists", "fail"),
            .init("retries", "0"), .init("connect-timeout", "1.5"), .init("stall-timeout", "2"),
            .init("min-speed", "1K"), .init("max-time", "60"), .init("no-resume", "true"),
            .init("adopt", "false"), .init("wait-for-network", "yes"),
        ]).settings
        #expect(settings.connections == .fixed(4))
        #expect(settings.checksum == .none)
        #expect(settings.fields.map(\.name) == ["A", "C"])
        #expect(settings.connection.userAgent == "me/1")
        #expect(settings.credentials == Credentials(name: "n", password: "p"))
        #expect(settings.connection.allowsUntrustedCertificates)
        #expect(settings.connection.authoritiesFile == "/dev/null")
        #expect(settings.ifExists == .fail)
        #expect(settings.retries == 0)
        #expect(settings.connection.connectTimeout == .milliseconds(1500))
        #expect(settings.stallTimeout == .seconds(2))
        #expect(settings.minimumBytesPerSecond == 1024)
        #expect(settings.maximumDuration == .seconds(60))
        #expect(!settings.resumes)
        #expect(settings.waitsForConnectivity)
    }

    @Test func `a relative output is relative to the directory`() throws {
        let options: [OptionAssignment] = [.init("output", "a/b.iso"), .init("directory", "/tmp")]
        #expect(try download(options).destination == .file("/tmp/a/b.iso"))
        #expect(try download([.init("output", "b.iso")]).destination == .file("b.iso"))
    }

    @Test(arguments: [
        ([OptionAssignment("output", "/tmp")], "--output: '/tmp' is a folder"),
        ([OptionAssignment("output", "dir/")], "--output: 'dir/' names a folder"),
        ([OptionAssignment("output", "..")], "--output: '..' names a folder"),
        ([OptionAssignment("output", "-"), .init("directory", "/tmp")], "--output - and"),
        ([OptionAssignment("output", "")], "--output: the path is empty"),
        ([OptionAssignment("output", "/a"), .init("directory", "/tmp")], "absolute --output '/a'"),
        ([OptionAssignment("retries", "-1")], "--retries: '-1' is not a number"),
        ([OptionAssignment("if-exists", "ask")], "--if-exists: invalid value 'ask'"),
        ([OptionAssignment("user-agent", "a\nb")], "--user-agent: the text contains a line break"),
    ])
    func `errors name the invalid option`(options: [OptionAssignment], part: String) {
        let error = #expect(throws: DownloadError.self) { try download(options) }
        #expect(error?.code == .usage)
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
        #expect(error?.advice.isEmpty == false)
    }

    @Test(arguments: [
        (OptionAssignment("directory", "/dev/null"), ErrorCode.directoryNotUsable),
        (OptionAssignment("cacert", "/nowhere/ca.pem"), .fileUnreadable),
        (OptionAssignment("cacert", "/tmp"), .fileUnreadable),
        (OptionAssignment("output", String(repeating: "x", count: 256)), .fileNotCreatable),
    ])
    func `unusable paths have their own status`(
        option: OptionAssignment,
        code: ErrorCode
    ) {
        let error = #expect(throws: DownloadError.self) { try download([option]) }
        #expect(error?.code == code)
    }

    @Test func `one output or one checksum for several URLs is an error`() throws {
        let list = try InputList(Self.url, name: "list.txt")
        let output = OptionAssignment("output", "a")
        let checksum = OptionAssignment("checksum", "md5=d41d8cd98f00b204e9800998ecf8427e")
        expectUsage(urls: [Self.url, Self.url], nil, output)
        expectUsage(urls: [], list, output)
        expectUsage(urls: [Self.url, Self.url], nil, checksum)
        expectUsage(urls: [Self.url], list, checksum)
        expectUsage(urls: [], nil, .init("retries", "1"))
        let none = OptionAssignment("checksum", "none")
        let other = Self.url + "?2"
        #expect(try DownloadBatch(urls: [other], list: list, options: [none]).downloads.count == 2)
        #expect(
            try DownloadBatch(urls: [Self.url], list: list, options: [none]).downloads.count == 1
        )
    }

    @Test func `options in a list replace those of the command line`() throws {
        let list = try InputList(
            """
            https://host.example/a
              connections=2
              header=X: 2
            https://host.example/b
            """,
            name: "list.txt"
        )
        let downloads = try DownloadBatch(
            urls: [],
            list: list,
            options: [.init("connections", "8"), .init("header", "X: 1")]
        ).downloads
        #expect(downloads.map(\.settings.connections) == [.fixed(2), .fixed(8)])
        #expect(downloads.map { $0.settings.fields.map(\.value) } == [["2"], ["1"]])
    }

    @Test func `two downloads with the same output are an error`() throws {
        let list = try InputList(
            "https://h.example/a\n output=x\nhttps://h.example/b\n output=x",
            name: "list.txt"
        )
        let error = #expect(throws: DownloadError.self) {
            try DownloadBatch(urls: [], list: list, options: [])
        }
        #expect(error?.code == .usage)
    }

    @Test func `an output is the same however it is spelled`() throws {
        let twice = try InputList(
            "https://h.example/a\n output=x\nhttps://h.example/a\n output=./no/../x",
            name: "list.txt"
        )
        let batch = try DownloadBatch(urls: [], list: twice, options: [])
        #expect(batch.downloads.map(\.destination) == [.file("x")])
        #expect(batch.notes == ["https://h.example/a is given twice and is downloaded once"])
        let two = try InputList(
            "https://h.example/a\n output=x\nhttps://h.example/b\n output=./x",
            name: "list.txt"
        )
        let error = #expect(throws: DownloadError.self) {
            try DownloadBatch(urls: [], list: two, options: [])
        }
        #expect(error?.code == .usage)
    }

    @Test func `a missing password is asked for once`() throws {
        var batch = try DownloadBatch(
            urls: [Self.url, Self.url],
            list: nil,
            options: [.init("user", "me")]
        )
        let missing = batch.missingPasswords
        #expect(missing.map(\.name) == ["me"])
        batch.complete(try #require(missing.first), with: "p")
        #expect(batch.missingPasswords.isEmpty)
        #expect(batch.downloads.allSatisfy { $0.settings.credentials?.password == "p" })
    }

    private func download(_ options: [OptionAssignment]) throws -> RequestedDownload {
        try #require(
            try DownloadBatch(urls: [Self.url], list: nil, options: options).downloads.first
        )
    }

    private func expectUsage(urls: [String], _ list: InputList?, _ option: OptionAssignment) {
        let error = #expect(throws: DownloadError.self) {
            try DownloadBatch(urls: urls, list: list, options: [option])
        }
        #expect(error?.code == .usage)
    }
}
