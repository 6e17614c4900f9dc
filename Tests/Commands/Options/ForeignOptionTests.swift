import PawlCLI
import PawlCore
import PawlTesting
import Testing

/// What people type from the habit of other tools.
@Suite(.timeLimit(.minutes(5)))
struct ForeignOptionTests {
    private let resource = Resource(size: 30_000)

    @Test func `options that ask for what Pawl does anyway have no effect`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run("-LOc", "-C", "-", "-k", workshop.url)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let again = try await workshop.run(
            "--location",
            "--remote-name",
            "--continue",
            "-C-",
            workshop.url
        )
        try expectOnly(Workshop.name, resource, in: workshop, again)
    }

    @Test func `short options of curl set the same settings`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).requireBasic(name: "me", password: "hunter2"))
        let run = try await workshop.run(
            "-u",
            "me:hunter2",
            "-A",
            "agent/1",
            "-e",
            "http://page.example/",
            workshop.url
        )
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let request = try #require(workshop.origin.requests.last)
        #expect(request["User-Agent"] == "agent/1")
        #expect(request["Referer"] == "http://page.example/")
    }

    @Test func `an offset of one's own is refused`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run("-C", "100", workshop.url)
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains("Pawl itself determines where to resume"))
        #expect(workshop.folder.list().isEmpty)
    }

    @Test(arguments: [
        ("--no-check-certificate", "for wget's --no-check-certificate: use --insecure"),
        ("--max-connection-per-server=4", "use --connections"),
        ("--bwlimit", "use --total-limit"),
        ("--parallel", "several files are fetched at once"),
        ("-sS", "use --quiet"), ("-fsS", "for curl's -s: use --quiet"),
        ("-nc", "for wget's -nc: use '--if-exists skip'"),
        ("-qO-", "use '--output -'"), ("--on-download-complete=x", "use --on-complete"),
        ("--low-level-retries", "use --retries"), ("--trace", "use --verbose"),
        ("--proxy-insecure", "use --insecure"), ("--ftp-proxy=x", "for aria2's --ftp-proxy"),
        ("--all-proxy-passwd=x", "put the name and password into the URL of --proxy"),
        ("--accept-regex=x", "use 'pawl mirror' with --include and --exclude"),
        ("--rpc-secret=x", "use 'pawl daemon start' with --aria2-rpc"),
    ])
    func `the error for another tool's option names Pawl's own`(
        option: String,
        expected: String
    ) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(option, workshop.url)
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains(expected), "\(run.errors)")
    }

    @Test(arguments: [
        (["-O", "out.txt"], "use '-o out.txt'"),
        (["-e", "robots=off"], "use 'pawl mirror' with --no-robots"),
        (["-b"], "for wget's -b: use 'pawl --background URL'"),
    ])
    func `a value that an option of wget takes is explained`(
        options: [String],
        expected: String
    ) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(options + [workshop.url])
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains(expected), "\(run.errors)")
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `the errors for other tools' commands name Pawl's own`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run("copyurl", workshop.url)
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains("give only the URL"), "\(run.errors)")
    }

    /// `pawl get` accepts `--limit-rate` as the earlier name of `--total-limit`; other commands do not.
    @Test func `a rate limit in the words of curl and wget is explained`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run("add", "--limit-rate", "1M", workshop.url)
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains("for curl's --limit-rate: use --limit"), "\(run.errors)")
    }

    /// None of these commands has the option that `pawl get` has for it.
    @Test(arguments: [
        (["feed", "add", "-o", "x"], "--output"), (["list", "-nc"], "--if-exists"),
        (["mirror", "--remote-header-name", "-o", "x"], "--output"),
        (["daemon", "status", "--limit-rate=1M"], "--limit"),
    ])
    func `the error for another tool's option names no option that the command does not have`(
        arguments: [String],
        absent: String
    ) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(arguments + [workshop.url])
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        let message = run.errors.replacing("--limit-rate", with: "")
        #expect(message.contains("unknown option"), "\(run.errors)")
        #expect(!message.contains(absent), "\(run.errors)")
    }

    @Test func `a body after the flag for JSON is explained`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run("add", "--json", #"{"a":1}"#, workshop.url)
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains("give the body with --data"), "\(run.errors)")
    }

    /// Only the first row of an option is found.
    @Test func `each option is in one row`() {
        let names = ForeignOption.all.flatMap(\.names)
        let repeated = Set(names.filter { name in names.count { $0 == name } > 1 })
        #expect(repeated.isEmpty)
    }

    /// Each option that the table names exists.
    @Test func `the table names only options that exist`() {
        let help = HelpText.all(columns: 80).map(\.text).joined()
        for option in ForeignOption.all {
            for word in option.namedOptions {
                #expect(help.contains(word), "\(option.names): \(word)")
            }
        }
    }

    @Test func `docs coming-from md is made of the table`() throws {
        var text = """
            # Coming from curl, wget, aria2, rclone

            `pawl URL` does what `curl -fLOC - URL`, `wget -c URL`, `aria2c URL`, `rclone copyurl -a URL .` and
            `aws s3 cp URL .` do. If Pawl does not have an option of these tools, the error names what to use. A test writes this
            page from the table of options: run it with `PAWL_RECORD=1`.

            `-L`, `-O`, `-c` and `-C -` are accepted and have no effect. `-x` and `-d` have the same meaning as in aria2: the
            number of connections, and the folder.


            """
        for tool in ForeignOption.Tool.allCases {
            text += "## \(tool.rawValue)\n\n| option | in Pawl |\n| --- | --- |\n"
            for option in ForeignOption.all where option.tool == tool {
                let names = option.names.map { "`\($0)`" }.joined(separator: ", ")
                let isSame =
                    option.names.count == 2
                    && option.names.contains { "use \($0)" == option.instead }
                text += "| \(names) | \(isSame ? "the same" : Self.marked(option.instead)) |\n"
            }
            text += "\n"
        }
        try Snapshot.expect(text, matches: "coming-from.md", folder: "../../docs")
    }

    /// The text with its commands and options as code.
    private static func marked(_ text: String) -> String {
        // An apostrophe between two letters is not a quotation mark.
        let marks = /[A-Za-z]'[A-Za-z]|'([^']*)'|--http1\.1|--[a-z0-9-]*[a-z0-9]/
        return text.replacing(marks) { match -> String in
            let (whole, quoted) = match.output
            if let quoted { return "`\(quoted)`" }
            return whole.hasPrefix("--") ? "`\(whole)`" : String(whole)
        }
    }
}
