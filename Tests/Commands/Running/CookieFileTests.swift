import Glibc
import PawlCore
import PawlTesting
import Testing

/// `--cookies`: a file in Netscape's format.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct CookieFileTests {
    private let resource = Resource(size: 100_000)

    private func line(_ name: String, _ value: String, expires: String = "4000000000") -> String {
        ["127.0.0.1", "FALSE", "/", "FALSE", expires, name, value].joined(separator: "\t") + "\n"
    }

    @Test(arguments: ["-b", "--cookies"])
    func `the cookies of the file are sent`(option: String) async throws {
        let workshop = try Workshop(resource)
        let lines = line("a", "1") + line("b", "2", expires: "0") + line("c", "3", expires: "1")
        let file = "# Netscape HTTP Cookie File\n" + lines
        try workshop.folder.write("cookies.txt", file)
        let run = try await workshop.run(workshop.url, option, "cookies.txt")
        #expect(run.status == .code(0), "\(run.errors)")
        let sent = try #require(workshop.origin.requests.first?["Cookie"])
        #expect(sent.split(separator: "; ").sorted() == ["a=1", "b=2"])
    }

    @Test func `cookies in place of a file are refused, and not shown`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run("-b", "sid=s3cret", workshop.url)
        expectFailure(.usage, run)
        #expect(run.errors.contains("use --header 'Cookie: name=value'"), "\(run.errors)")
        #expect(workshop.origin.requests.isEmpty)
        try workshop.folder.write("a=b", line("a", "1"))
        let named = try await workshop.run("-b", "a=b", workshop.url)
        #expect(named.status == .code(0), "\(named.errors)")
    }

    @Test func `cookies that cannot be written are noted once`() async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.resource(resource).setting("Set-Cookie", "id=7; Max-Age=3600"))
        let run = try await workshop.run(workshop.url + "?{1..3}", "-b", "/nodir/jar")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.errorLines.count { $0.contains("were not written") } == 1, "\(run.errors)")
    }

    @Test func `a server's cookies are written, and sent the next time`() async throws {
        let workshop = try Workshop()
        let cookie = "id=7; Path=/; Max-Age=3600"
        workshop.serve(Reply.resource(resource).setting("Set-Cookie", cookie))
        let run = try await workshop.run(workshop.url, "--cookies", "cookies.txt")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.readText("cookies.txt").contains("\tid\t7"))
        _ = try await workshop.run(workshop.url, "--cookies", "cookies.txt", "-o", "again")
        #expect(workshop.origin.requests.last?["Cookie"] == "id=7")
        let inspected = try await workshop.run("inspect", workshop.url, "--cookies", "cookies.txt")
        #expect(inspected.status == .code(0), "\(inspected.errors)")
        #expect(workshop.origin.requests.last?["Cookie"] == "id=7")
    }

    @Test(arguments: ["/dev/stdin", "-"])
    func `the cookies of a pipe are sent, and nothing is written to it`(
        pipe: String
    ) async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.resource(resource).setting("Set-Cookie", "b=2; Max-Age=3600"))
        var settings = ProcessSettings()
        settings.input = Array(line("a", "1").utf8)
        let run = try await workshop.run(
            workshop.url + "?{1..2}",
            "--cookies",
            pipe,
            settings: settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.allSatisfy { $0["Cookie"]?.contains("a=1") == true })
        #expect(workshop.origin.requests.count >= 2)
        #expect(!run.errors.contains("cookies"), "\(run.errors)")
        #expect(!workshop.folder.exists("-"))
    }

    @Test(arguments: ["--hsts", "--alt-svc"])
    func `lists of hosts can be read from standard input`(option: String) async throws {
        let workshop = try Workshop(resource)
        let settings = ProcessSettings(input: "not such a list of hosts\n")
        let run = try await workshop.run([workshop.url, option, "-"], settings)
        expectFailure(.usage, run)
        #expect(run.errors.contains("'-' is not"), "\(run.errors)")
        let empty = try await workshop.run([workshop.url, option, "-"], ProcessSettings(input: ""))
        #expect(empty.status == .code(0), "\(empty.errors)")
        #expect(!workshop.folder.exists("-"))
    }

    @Test(arguments: [("-", "/dev/stdin"), ("/dev/stdin", "-"), ("/dev/stdin", "/dev/fd/0")])
    func `a pipe serves only one option, however it is named`(
        list: String,
        headers: String
    ) async throws {
        let workshop = try Workshop(resource)
        let settings = ProcessSettings(input: workshop.url + "\n")
        let run = try await workshop.run(["-i", list, "--header-file", headers], settings)
        expectFailure(.usage, run)
        #expect(run.errors.contains("was already read"), "\(run.errors)")
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `the daemon is given no pipe`() async throws {
        let workshop = try Workshop(resource)
        try #require(mkfifo(workshop.folder.path("jar"), 0o600) == 0)
        // It would never end if it were opened, because nobody writes to it.
        let run = try await workshop.run("add", workshop.url, "--netrc", "jar")
        expectFailure(.usage, run)
        #expect(run.errors.contains("the daemon cannot read the pipe"), "\(run.errors)")
    }

    @Test func `without the option no cookie file is written or read`() async throws {
        let workshop = try Workshop(resource)
        _ = try await workshop.run(workshop.url)
        #expect(workshop.origin.requests.first?["Cookie"] == nil)
        #expect(workshop.folder.list() == [Workshop.name])
    }

    @Test func `another file is not overwritten with cookies`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("notes.txt", "remember\n")
        let run = try await workshop.run(workshop.url, "--cookies", "notes.txt")
        expectFailure(.usage, run)
        #expect(try workshop.folder.readText("notes.txt") == "remember\n")
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a folder is not a cookie file`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.makeFolder("jar")
        let run = try await workshop.run(workshop.url, "--cookies", "jar")
        expectFailure(.fileUnreadable, run)
        #expect(workshop.origin.requests.isEmpty)
    }
}
