import PawlCLI
import PawlCore
import PawlTesting
import Testing

/// What the config file means for a download.
@Suite(.timeLimit(.minutes(5)))
struct ConfigFileTests {
    private func download(
        _ text: String,
        _ url: String = "https://host.example/a",
        variables: [String: String] = [:],
        options: [OptionAssignment] = []
    ) throws -> RequestedDownload {
        let batch = try DownloadBatch(
            urls: [url],
            list: nil,
            options: options,
            config: config(text, variables)
        )
        return try #require(batch.downloads.first)
    }

    private func config(_ text: String, _ variables: [String: String] = [:]) throws -> UserConfig {
        UserConfig(
            file: try ConfigFile(text, name: "config.toml", home: "/home/me"),
            variables: ConfigVariables.options(in: variables)
        )
    }

    @Test func `the command line replaces variables, hosts and defaults, in this order`() throws {
        let text = """
            [defaults]
            retries = 1
            stall-timeout = 1
            connections = 1
            limit = "1K"

            [host."*.example"]
            stall-timeout = 2.5
            connections = 2
            limit = "2K"
            """
        let variables = ["PAWL_CONNECTIONS": "3", "PAWL_LIMIT": "3K", "PAWL_RETRIES": ""]
        let settings = try download(text, variables: variables, options: [.init("limit", "4K")])
            .settings
        #expect(settings.retries == 1)
        #expect(settings.stallTimeout == .seconds(2.5))
        #expect(settings.connections == .fixed(3))
        #expect(settings.limitBytesPerSecond == 4096)
        let other = try download(text, "https://example.org/a").settings
        #expect(other.stallTimeout == .seconds(1))
    }

    @Test(arguments: [
        ("host.example", "https://host.example/a", true),
        ("HOST.example", "https://HOST.EXAMPLE/a", true),
        ("*.example", "https://a.b.example/", true), ("*.example", "https://example/", false),
        ("host.example:8080", "http://host.example:8080/", true),
        ("host.example:8080", "http://host.example/", false),
        ("host.example:443", "https://host.example/", true),
        ("host.example:80", "http://host.example/", true), ("*", "https://a/", true),
        ("[::1]", "http://[::1]/a", true), ("h?st", "http://host/", true),
        ("host.example", "https://host.example@other/", false),
    ])
    func `a pattern of hosts`(pattern: String, url: String, matches: Bool) throws {
        let text = "[host.\"\(pattern)\"]\nretries = 3"
        #expect(try download(text, url).settings.retries == (matches ? 3 : 10))
    }

    @Test func `later sections replace earlier ones, and defaults may come last`() throws {
        let text = """
            [host."*.example"]
            retries = 2
            [host."host.*"]
            retries = 3
            [defaults]
            retries = 4
            """
        #expect(try download(text).settings.retries == 3)
        #expect(try download(text, "https://other/").settings.retries == 4)
    }

    @Test func `headers are added, and replaced by those of the same name`() throws {
        let text = """
            [defaults]
            header = ["X-A: 1", "X-A: 2", "X-B: 3"]
            [host."host.example"]
            bearer = "token"
            """
        let options = [OptionAssignment("header", "x-a: 9")]
        let fields = try download(text, options: options).settings.fields
        #expect(
            fields.map { "\($0.name): \($0.value)" }
                == ["X-B: 3", "Authorization: Bearer token", "x-a: 9"]
        )
        let user = [OptionAssignment("user", "me:secret")]
        let settings = try download(text, options: user).settings
        #expect(settings.credentials?.name == "me")
        #expect(!settings.fields.contains { $0.name == "Authorization" })
    }

    @Test func `a name and password of a URL replace those of the file`() throws {
        let text = "[defaults]\nuser = \"a:b\""
        let settings = try download(text, "https://c:d@host.example/").settings
        #expect(settings.credentials?.name == "c")
        #expect(try download(text).settings.credentials?.name == "a")
    }

    @Test
    func `a URL's name and password replace a token of the file, and its name keeps the password`()
        throws
    {
        let token = try download("[defaults]\nbearer = \"t\"", "https://me:pw@host.example/")
            .settings
        #expect(token.credentials?.name == "me")
        #expect(token.fields.isEmpty)
        let text = "[defaults]\nuser = \"me:pw\""
        let name = try download(text, "https://me@host.example/").settings
        #expect(name.credentials?.password == "pw")
    }

    @Test func `addresses of hosts are joined, those of the command line first`() throws {
        let text = "[defaults]\nresolve = [\"a:1:192.0.2.1\", \"b:1:192.0.2.2\"]"
        let options = ["a:1:192.0.2.3", "c:1:192.0.2.4"].map { OptionAssignment("resolve", $0) }
        let addresses = try download(text, options: options).settings.connection.fixedAddresses
        #expect(
            addresses.flatMap(\.addresses) == ["192.0.2.3", "192.0.2.4", "192.0.2.1", "192.0.2.2"]
        )
    }

    @Test func `sections without options and deep keys`() throws {
        #expect(try download("[defaults]\n[host.\"a\"]\n").settings.retries == 10)
        let deep = "[defaults]\n" + String(repeating: "a.", count: 200_000) + "a = 1"
        let error = #expect(throws: DownloadError.self) { try download(deep) }
        #expect(error?.code == .usage)
    }

    @Test func `a port means that of the scheme`() throws {
        let text = "[host.\"h:443\"]\nretries = 3\n[host.\"h:22\"]\nretries = 4"
        #expect(try download(text, "https://h/a").settings.retries == 3)
        #expect(try download(text, "sftp://h/a").settings.retries == 4)
        #expect(try download(text, "ftp://h/a").settings.retries == 10)
    }

    @Test func `a password is missing once per name`() throws {
        let text = """
            [host."a.example"]
            user = "a"
            [host."b.example"]
            user = "b"
            """
        var batch = try DownloadBatch(
            urls: ["https://a.example/1", "https://b.example/2", "https://a.example/3"],
            list: nil,
            options: [],
            config: config(text)
        )
        #expect(batch.missingPasswords.map(\.name) == ["a", "b"])
        batch.complete(batch.missingPasswords[1], with: "secret of b")
        #expect(batch.missingPasswords.map(\.name) == ["a"])
        #expect(
            batch.downloads.map { $0.settings.credentials?.password } == ["", "secret of b", ""]
        )
    }

    @Test func `a folder of the file applies unless the command line names a path`() throws {
        let text = "[defaults]\ndirectory = \"/tmp\""
        #expect(try download(text).destination == .directory("/tmp"))
        let output = [OptionAssignment("output", "x")]
        #expect(try download(text, options: output).destination == .file("x"))
        let standard = [OptionAssignment("output", "-")]
        #expect(try download(text, options: standard).isForStandardOutput)
        let list = try InputList(
            "https://host.example/a\n output=x\nhttps://host.example/b\n output=/y",
            name: "list"
        )
        let batch = try DownloadBatch(urls: [], list: list, options: [], config: config(text))
        #expect(batch.downloads.map(\.destination) == [.file("/tmp/x"), .file("/y")])
    }

    @Test func `a path starts at the home folder or at the root`() throws {
        let error = #expect(throws: DownloadError.self) {
            try download("[defaults]\ncacert = \"~/none.pem\"")
        }
        #expect(error?.message.contains("'/home/me/none.pem'") == true)
        expectUsage(
            "[defaults]\ncacert = \"ca.pem\"",
            "line 2: cacert: 'ca.pem' is not an absolute path"
        )
    }

    @Test(arguments: [
        ("retries = 3", "line 1: 'retries' is outside every section"),
        ("[defaults]\nretrys = 3", "line 2: 'retrys' is not an option of the config file"),
        ("[default]\nretries = 3", "line 2: 'default.retries' is outside every section"),
        ("[host.a.example]\nretries = 3", "line 2: a host needs quotation marks"),
        ("[host.\"a\"]\njobs = 3", "line 2: 'jobs' applies to all downloads of a command"),
        ("[defaults]\noutput = \"x\"", "line 2: 'output' is not an option"),
        (
            "[defaults]\nchecksum = \"md5=d41d8cd98f00b204e9800998ecf8427e\"",
            "line 2: checksum: this"
        ),
        ("[defaults]\nretries = 1979-05-27", "line 2: the value of 'retries' is not a string"),
        ("[defaults]\nretries = \"many\"", "line 2: retries: "),
        ("[defaults]\nretries =", "line 2: "), ("[defaults]\na = 1\na = 2", "line 3: "),
        ("[defaults]\nretries-command = \"echo 3\"", "line 2: 'retries-command' is not an option"),
        ("[host.\"https://a/\"]\nretries = 1", "line 2: 'https://a/' is not a pattern of hosts"),
        ("[host.\"\"]\nretries = 1", "line 2: '' is not a pattern of hosts"),
        ("[defaults]\nretries = [1, 2]", "line 2: 'retries' takes one value, not a list"),
        ("[defaults]\nretrise = []", "line 2: 'retrise' is not an option"),
        ("[defaultz]", "line 1: 'defaultz' is outside every section"),
        ("[defaults]\n\nretries = [[1]]", "line 3: the value of 'retries' is not"),
    ])
    func `a mistake is reported with its line`(text: String, message: String) {
        expectUsage(text, message)
    }

    private func expectUsage(_ text: String, _ message: String) {
        let error = #expect(throws: DownloadError.self) { try download(text) }
        #expect(error?.code == .usage)
        let expected = "config.toml, \(message)"
        #expect(error?.message.hasPrefix(expected) == true, "\(error?.message ?? "")")
        #expect(error?.advice.isEmpty == false)
    }

    /// Every setting of the table that can be given there has the same effect in the file and as a
    /// variable as on the command line.
    @Test func `each setting has its key and its variable`() throws {
        for setting in DownloadSettings.table.settings where setting.entries.contains(.config) {
            var expected = DownloadSettings()
            let sample = try SettingSamples.text(for: setting)
            // The names of files are checked.
            let isFile = ConnectionSettings.files.contains { $0.name == setting.name }
            let text = setting.name == "checksum" ? "none" : isFile ? "/dev/null" : sample
            try setting.parse(&expected, text)
            let file = "[defaults]\n\(setting.name) = \"\(text)\""
            let document = SettingsDocument(expected)
            #expect(try SettingsDocument(download(file).settings) == document, "\(setting.name)")
            let variables = [ConfigVariables.variable(setting.name): text]
            let settings = try download("", variables: variables).settings
            #expect(SettingsDocument(settings) == document, "\(setting.name)")
        }
    }

    @Test func `the names of variables`() {
        #expect(ConfigVariables.variable("stall-timeout") == "PAWL_STALL_TIMEOUT")
        #expect(ConfigVariables.variable("http1.1") == "PAWL_HTTP1_1")
        let environment = ["PAWL_SPEED": "1", "PAWL_RETRIES": "1", "PAWL_CONFIG": "x", "HOME": "/"]
        #expect(ConfigVariables.unknown(in: environment) == ["PAWL_SPEED"])
    }

    @Test func `a variable has one value per line`() throws {
        let variables = ["PAWL_HEADER": "X-A: 1, 2\nX-B: 3\n"]
        let fields = try download("", variables: variables).settings.fields
        #expect(fields.map(\.value) == ["1, 2", "3"])
    }
}
