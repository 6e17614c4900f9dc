import Glibc
import PawlCore
import PawlTesting
import Testing

/// The config file in the built program.
@Suite(.timeLimit(.minutes(5)))
struct ConfigCommandTests {
    private let resource = Resource(size: 30_000)

    /// A workshop with a config file in its folder, which is the user's home, too.
    private func home(
        _ text: String?,
        variables: [String: String] = [:]
    ) throws -> (Workshop, ProcessSettings) {
        let workshop = try Workshop(resource)
        if let text {
            try workshop.folder.makeFolder(".config")
            try workshop.folder.makeFolder(".config/pawl")
            try workshop.folder.write(".config/pawl/config.toml", text)
        }
        var environment: [String: String?] = variables
        environment.merge(["HOME": workshop.folder.path, "PAWL_CONFIG": nil]) { given, _ in given }
        return (workshop, ProcessSettings(environment: environment))
    }

    @Test func `the options of the file and the variables are used`() async throws {
        let text = """
            [defaults]
            user-agent = "from the file"
            [host."127.0.0.1"]
            header = ["X-A: 1"]
            progress = "json"
            """
        let (workshop, settings) = try home(text, variables: ["PAWL_REFERER": "http://p.example/"])
        let broken = try await workshop.run(workshop.url, settings: settings)
        expectFailure(.usage, broken)
        #expect(broken.errors.contains("~/.config/pawl/config.toml, line 5: 'progress' applies"))
        try workshop.folder.write(
            ".config/pawl/config.toml",
            text.replacing("progress = \"json\"", with: "")
        )
        let run = try await workshop.run(workshop.url, settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        let request = try #require(workshop.origin.requests.first)
        #expect(request["User-Agent"] == "from the file")
        #expect(request["X-A"] == "1")
        #expect(request["Referer"] == "http://p.example/")
        _ = try await workshop.run(workshop.url, "-o", "b", "--config", "none", settings: settings)
        let plain = try #require(workshop.origin.requests.last)
        #expect(plain["User-Agent"]?.hasPrefix("pawl/") == true)
        #expect(plain["X-A"] == nil && plain["Referer"] == nil)
        let inspected = try await workshop.run("inspect", workshop.url, settings: settings)
        #expect(inspected.status == .code(0), "\(inspected.errors)")
        #expect(workshop.origin.requests.last?["X-A"] == "1")
    }

    @Test func `--config names another file`() async throws {
        let (workshop, settings) = try home("[defaults]\nuser-agent = \"usual\"")
        try workshop.folder.write("other.toml", "[defaults]\nuser-agent = \"other\"")
        let run = try await workshop.run(
            workshop.url,
            "--config",
            "other.toml",
            settings: settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.first?["User-Agent"] == "other")
        let missing = try await workshop.run(workshop.url, "--config", "none.toml")
        expectFailure(.fileUnreadable, missing)
    }

    @Test func `a password comes from a command, which runs once`() async throws {
        let text = """
            [host."127.0.0.1"]
            user = "me"
            password-command = "echo x >> runs; printf 'hunter2\\nurl: example\\n'"
            """
        let (workshop, settings) = try home(text)
        workshop.serve(.resource(resource).requireBasic(name: "me", password: "hunter2"))
        let run = try await workshop.run(
            workshop.url,
            workshop.url + "?2",
            "-v",
            settings: settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(!run.everything.contains("hunter2"))
        #expect(try workshop.folder.readText("runs") == "x\n")
        let other = try await workshop.run(
            workshop.url,
            "-u",
            "me:hunter2",
            "-o",
            "b",
            settings: settings
        )
        #expect(other.status == .code(0), "\(other.errors)")
        #expect(try workshop.folder.readText("runs") == "x\n")
    }

    @Test func `a token comes from a command`() async throws {
        let (workshop, settings) = try home("[defaults]\nbearer-command = \"echo t0ken\"")
        let run = try await workshop.run(workshop.url, settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.first?["Authorization"] == "Bearer t0ken")
    }

    @Test(arguments: [
        ("bearer-command", ["--user", "me:pw"]), ("bearer-command", ["--bearer", "x"]),
        ("user-command", ["--user", "me:pw"]), ("user-command", ["--bearer", "x"]),
        ("proxy-command", ["--proxy", "none"]), ("user-command", ["-H", "Authorization: x"]),
        ("user = \"me\"\npassword-command", ["--bearer", "x"]),
    ])
    func `a command does not run if the command line replaces its secret`(
        key: String,
        options: [String]
    ) async throws {
        let (workshop, settings) = try home("[defaults]\n\(key) = \"touch ran; echo x:y\"")
        let run = try await workshop.run([workshop.url] + options, settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(!workshop.folder.exists("ran"))
    }

    @Test func `a command runs only for the downloads that use its secret`() async throws {
        let text = """
            [defaults]
            bearer-command = "touch ran; echo t0ken"
            [host."localhost"]
            bearer = "own"
            """
        let (workshop, settings) = try home(text)
        let local = workshop.origin.url(Workshop.path, host: "localhost")
        let address = workshop.url.replacing("http://", with: "http://me:pw@")
        for url in [local, address] {
            let run = try await workshop.run(
                [url, "-o", "a", "--if-exists", "overwrite"],
                settings
            )
            #expect(run.status == .code(0), "\(run.errors)")
        }
        let list = "\(workshop.url)\n  user=me:pw\n  output=b\n"
        try workshop.folder.write("list", list)
        let listed = try await workshop.run("-i", "list", settings: settings)
        #expect(listed.status == .code(0), "\(listed.errors)")
        #expect(!workshop.folder.exists("ran"))
        try workshop.folder.write("list", "\(list)\(workshop.url)\n  output=c\n")
        let last = try await workshop.run("-i", "list", settings: settings)
        #expect(last.status == .code(0), "\(last.errors)")
        #expect(workshop.folder.exists("ran"))
        #expect(workshop.origin.requests.contains { $0["Authorization"] == "Bearer t0ken" })
    }

    @Test func `an entry of a list may take its headers from standard input`() async throws {
        let text = "[defaults]\nproxy-command = \"echo none\""
        let (workshop, given) = try home(text)
        var settings = given
        try workshop.folder.write("list", "\(workshop.url)\n  header-file=-\n")
        settings.input = Array("X-A: 1\n".utf8)
        let run = try await workshop.run("-i", "list", settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.last?["X-A"] == "1")
    }

    @Test(arguments: ["-", "/dev/stdin"])
    func `headers from a pipe are read once, for all downloads`(pipe: String) async throws {
        let text = """
            [defaults]
            proxy-command = "echo none"
            [host."127.0.0.1"]
            retries = 3
            """
        let (workshop, given) = try home(text, variables: ["PAWL_HEADER_FILE": pipe])
        var settings = given
        settings.input = Array("X-A: 1\n".utf8)
        let local = workshop.url.replacing("127.0.0.1", with: "localhost")
        let run = try await workshop.run(workshop.url, "\(local)?{1..2}", settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.count >= 3)
        #expect(workshop.origin.requests.allSatisfy { $0["X-A"] == "1" })
        try workshop.folder.write("list", "\(workshop.url)?{3..4}\n  header-file=\(pipe)\n")
        let (_, plain) = try home(nil)
        settings.environment = plain.environment
        let before = workshop.origin.requests.count
        let listed = try await workshop.run("-i", "list", settings: settings)
        #expect(listed.status == .code(0), "\(listed.errors)")
        let requests = workshop.origin.requests.dropFirst(before)
        #expect(requests.count >= 2)
        #expect(requests.allSatisfy { $0["X-A"] == "1" })
    }

    @Test func `show does not read a pipe`() async throws {
        let text = "[host.\"a.example\"]\nheader-file = \"~/headers\"\n"
        let (workshop, settings) = try home(text, variables: ["PAWL_HEADER": "X-A: 2"])
        let file = "~/.config/pawl/config.toml, line 2"
        try workshop.folder.write("headers", "X-A: 1\n")
        let arguments = ["config", "show", "https://a.example/"]
        let known = try await workshop.run(arguments, settings)
        #expect(known.output.contains("# \(file), replaced"), "\(known.output)")
        #expect(unlink(workshop.folder.path("headers")) == 0)
        try #require(mkfifo(workshop.folder.path("headers"), 0o600) == 0)
        let unknown = try await workshop.run(arguments, settings)
        #expect(unknown.output.contains("# \(file)\n"), "\(unknown.output)")
    }

    @Test(arguments: [("false", "the command failed"), ("true", "the command printed no text")])
    func `a command that prints nothing is an error`(command: String, message: String) async throws
    {
        let (workshop, settings) = try home("[defaults]\nbearer-command = \"\(command)\"")
        let run = try await workshop.run(workshop.url, settings: settings)
        expectFailure(.usage, run)
        #expect(run.errors.contains("line 2: bearer-command: \(message)"), "\(run.errors)")
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a file that others can write is refused`() async throws {
        let (workshop, settings) = try home("[defaults]\nbearer-command = \"touch ran; echo x\"")
        try workshop.folder.setPermissions(".config/pawl/config.toml", 0o666)
        let run = try await workshop.run(workshop.url, settings: settings)
        expectFailure(.fileUnreadable, run)
        #expect(!workshop.folder.list().contains("ran"))
    }

    @Test func `a list from a server gets no secret of the file for all hosts`() async throws {
        let (workshop, settings) = try home("[defaults]\nbearer = \"t0ken\"")
        let run = try await workshop.run("-i", workshop.url, settings: settings)
        expectFailure(.usage, run)
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a list from a server gets secrets only for a host that is named`() async throws {
        let text =
            "[host.\"*\"]\nbearer = \"t0ken\"\nretries = 0\n[host.\"127.0.0.1\"]\nuser = \"me:pw\""
        let (workshop, settings) = try home(text)
        let list = Resource(text: workshop.origin.url("/a") + "\n")
        workshop.serve(.resource(list), at: "/list")
        workshop.serve(.resource(resource), at: "/a")
        let run = try await workshop.run("-i", workshop.origin.url("/list"), settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.count == 2)
        #expect(workshop.origin.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test func `programs that pawl starts do not get the variables`() async throws {
        let (workshop, settings) = try home(
            "[defaults]\nuser = \"me\"\npassword-command = \"env > seen; echo pw\"",
            variables: ["PAWL_REFERER": "http://secret.example/"]
        )
        let run = try await workshop.run(workshop.url, settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try !workshop.folder.readText("seen").contains("secret.example"))
    }

    @Test func `show says where each value comes from, without secrets`() async throws {
        let text = """
            [defaults]
            connections = 8
            header = ["X-A: 1", "Cookie: hunter2"]
            [host."*.example.org"]
            user = "me:hunter2"
            connections = 4
            bearer-command = "pass show hunter"
            """
        let variables = ["PAWL_PROXY": "http://me:hunter2@proxy.example", "PAWL_RETRIES": "3"]
        let (workshop, settings) = try home(text, variables: variables)
        let run = try await workshop.run("config", "show", settings: settings)
        let file = "~/.config/pawl/config.toml, line"
        let lines = [
            "[defaults]", "connections = 8 # \(file) 2", "header = X-A: 1 # \(file) 3",
            "header = Cookie: *** # \(file) 3", "", "[host.\"*.example.org\"]",
            "user = me:*** # \(file) 5", "connections = 4 # \(file) 6",
            "bearer-command = pass show hunter # \(file) 7", "", "[environment]",
            "retries = 3 # PAWL_RETRIES",
        ]
        let shown = squeezed(run.output)
        #expect(shown.filter { !$0.hasPrefix("proxy") } == lines)
        #expect(shown.contains { $0.hasPrefix("proxy = http://") && $0.hasSuffix("# PAWL_PROXY") })
        #expect(!run.everything.contains("hunter2"))
        let other = try await workshop.run(
            "config",
            "show",
            "https://a.example.org/",
            settings: settings
        )
        #expect(squeezed(other.output).contains("connections = 8 # \(file) 2, replaced"))
        let signedIn = try await workshop.run(
            "config",
            "show",
            "https://you:pw@a.example.org/",
            settings: settings
        )
        let shownThen = squeezed(signedIn.output)
        #expect(shownThen.contains("user = me:*** # \(file) 5, replaced"))
        #expect(shownThen.contains("bearer-command = pass show hunter # \(file) 7, replaced"))
        let none = try await workshop.run(
            "config",
            "show",
            "https://example.org/",
            settings: settings
        )
        #expect(!none.output.contains("user ="))
        let all = try await workshop.run("config", "show", "--all", settings: settings)
        #expect(squeezed(all.output).contains("connect-timeout = 15 # default"))
        let json = try await workshop.run("config", "show", "--json", settings: settings)
        #expect(json.output.contains(#""from" : "PAWL_RETRIES""#))
    }

    private func squeezed(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        lines.removeLast()
        return lines
    }

    @Test func `without options, show says so`() async throws {
        let (workshop, settings) = try home(nil)
        let run = try await workshop.run("config", settings: settings)
        #expect(run.status == .code(0))
        #expect(run.errors.contains("no options are set; 'pawl config edit'"))
    }

    @Test func `check finds mistakes in every section, and unknown variables`() async throws {
        let text = "[defaults]\nretries = 3\n[host.\"a\"]\nconnections = 900"
        let (workshop, settings) = try home(text, variables: ["PAWL_SPEED": "1"])
        let run = try await workshop.run("config", "check", settings: settings)
        expectFailure(.usage, run)
        #expect(run.errors.contains("line 4: connections: "), "\(run.errors)")
        try workshop.folder.write(
            ".config/pawl/config.toml",
            "[defaults]\njobs = 3\nbearer = \"x\"\nuser-command = \"touch ran\""
        )
        let valid = try await workshop.run("config", "check", settings: settings)
        #expect(valid.status == .code(0), "\(valid.errors)")
        #expect(valid.output == "~/.config/pawl/config.toml is valid\n")
        #expect(valid.errors.contains("PAWL_SPEED is not the variable of an option"))
        #expect(valid.errors.contains("other users can read it"))
        #expect(!workshop.folder.list().contains("ran"))
    }

    @Test func `check refuses a value of a whole run`() async throws {
        let (workshop, settings) = try home("[defaults]\njobs = 0")
        let run = try await workshop.run("config", "check", settings: settings)
        expectFailure(.usage, run)
        #expect(run.errors.contains("line 2: jobs: "), "\(run.errors)")
    }

    @Test func `edit creates the file with examples, opens the editor and checks`() async throws {
        let (workshop, settings) = try home(
            nil,
            variables: ["VISUAL": "sed -i 's/^# \\[host/[host/'"]
        )
        let run = try await workshop.run("config", "edit", settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.output.hasSuffix("is valid\n"), "\(run.output)")
        let path = ".config/pawl/config.toml"
        #expect(try workshop.folder.readText(path).contains("\n[host.\"*.example.org\"]\n"))
        var status = stat()
        #expect(lstat(workshop.folder.path(path), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        var broken = settings
        broken.environment["VISUAL"] = "echo nonsense >>"
        let failed = try await workshop.run("config", "edit", settings: broken)
        expectFailure(.usage, failed)
        #expect(failed.errors.contains("config.toml, line "))
        #expect(try workshop.folder.readText(path).hasSuffix("nonsense\n"))
    }

    @Test func `a failed editor is reported, and the file is not checked`() async throws {
        let editor = "sh -c 'exit 7'"
        let (workshop, settings) = try home("nonsense", variables: ["VISUAL": editor])
        let run = try await workshop.run("config", "edit", settings: settings)
        #expect(run.status == .code(7))
        #expect(run.errors.contains("pawl: the editor ended with status 7; "), "\(run.errors)")
        #expect(!run.errors.contains("config.toml, line "), "\(run.errors)")
    }

    /// All examples in the new file are valid once the comment signs are removed.
    @Test func `the examples are valid`() async throws {
        let editor = "sed -i -E 's/^# (\\[|[a-z-]+ = )/\\1/; s/~.Downloads/~/'"
        let (workshop, settings) = try home(nil, variables: ["VISUAL": editor])
        let run = try await workshop.run("config", "edit", settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        let shown = try await workshop.run("config", "show", settings: settings)
        for name in ["directory", "connections", "limit", "user", "password-command", "header"] {
            #expect(shown.output.contains("\(name) = "), "\(shown.output)")
        }
    }
}
