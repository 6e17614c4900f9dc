import PawlCLI
import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct Aria2ArgumentTests {
    private func get(_ arguments: String...) throws -> [String] {
        try Aria2GetArguments.make(Aria2Arguments(arguments))
    }

    @Test func `the options of aria2 become those of pawl get`() throws {
        let arguments = try get(
            "-x16",
            "-s",
            "4",
            "-cd",
            "files",
            "--out=a.iso",
            "-j",
            "3",
            "--max-tries=5",
            "--check-certificate=false",
            "--http-user=ada",
            "--http-passwd=x:y",
            "--header=A: 1",
            "--header",
            "B: 2",
            "--all-proxy=host:8080",
            "-q",
            "http://host/a",
            "http://other/a"
        )
        #expect(arguments.first == "get")
        #expect(arguments.suffix(2) == ["--", "http://host/a"])
        for word in [
            "--connections=4", "--directory=files", "--output=a.iso", "--jobs=3", "--retries=4",
            "--insecure", "--user=ada:x:y", "--header=A: 1", "--header=B: 2",
            "--proxy=http://host:8080", "--quiet", "--mirror=http://other/a",
        ] {
            #expect(arguments.contains(word), "\(word): \(arguments)")
        }
    }

    @Test func `each URI is a file of its own if that is requested`() throws {
        let arguments = try get("-Z", "http://host/a", "http://host/b")
        #expect(arguments == ["get", "--", "http://host/a", "http://host/b"])
        #expect(try get("--", "-x") == ["get", "--", "-x"])
    }

    @Test func `an unknown option is named in the error, and takes no URI as its value`() throws {
        let arguments = try Aria2Arguments([
            "--bt-tracker", "http://host/a", "--seed-time", "5", "--unknown", "--dir=x", "b",
            "--file-allocation=none", "--enable-dht",
        ])
        #expect(arguments.unknown == ["bt-tracker", "enable-dht", "seed-time", "unknown"])
        #expect(arguments.uris == ["http://host/a", "b"])
        #expect(arguments["dir"] == "x" && arguments["seed-time"] == "5")
    }

    @Test func `an invalid command line of aria2 is refused`() {
        for arguments in [["-w"], ["--dir"], ["-d"]] {
            #expect(throws: DownloadError.self, "\(arguments)") { try Aria2Arguments(arguments) }
        }
        for option in ["--split=x", "-x0", "--max-tries=x", "--check-certificate=maybe"] {
            #expect(throws: DownloadError.self, "\(option)") { try get(option, "http://host/a") }
        }
    }

    @Test func `a value that Pawl cannot use is refused, even if another one follows`() throws {
        for option in [
            "--max-download-limit=-3", "--max-overall-download-limit=-3", "-jx", "-sx", "-x0",
            "--max-tries=-1", "--timeout=x", "--remote-time=maybe", "--checksum=sha-256=x",
        ] {
            let arguments = try Aria2Arguments([option, "http://host/a"])
            let error = #expect(throws: DownloadError.self, "\(option)") { try arguments.check() }
            #expect(error?.code == .usage && error?.message.hasPrefix("--") == true)
        }
        let twice = try Aria2Arguments(["--split=x", "--split=2", "http://host/a"])
        #expect(throws: DownloadError.self) { try twice.check() }
        // Values that clients of aria2 often give.
        try Aria2Arguments([
            "--enable-rpc", "--max-download-limit=0", "--max-overall-download-limit=0",
            "--lowest-speed-limit=0", "--max-overall-download-limit=1M", "-x16", "-s64", "-j5",
            "--max-tries=0", "--timeout=60", "--connect-timeout=60", "--all-proxy=",
            "--http-proxy=host:8080", "--referer=*", "--ca-certificate=",
            "--check-certificate=false", "--remote-time=true", "--http-accept-gzip=true",
            "--header=A: 1", "--load-cookies=",
        ]).check()
    }

    @Test func `the command line comes after the configuration file of aria2`() throws {
        var arguments = try Aria2Arguments(["--split=2", "--header=B: 2"])
        let text = "# a comment\n split = 8 \nenable-rpc=true\r\nheader=A: 1\nno value\n"
        arguments.precede(with: Aria2Arguments(configuration: text))
        #expect(arguments["split"] == "2" && arguments.isOn("enable-rpc"))
        #expect(arguments.options.filter { $0.name == "header" }.map(\.value) == ["A: 1", "B: 2"])
    }

    @Test func `a list of aria2 has mirrors and options`() {
        let text = "# list\nhttp://host/a\thttp://other/a\n out=a.iso\n gid=00\n\nhttp://host/b\r\n"
        #expect(
            Aria2List.downloads(in: text) == [
                .init(
                    uris: ["http://host/a", "http://other/a"],
                    options: [.init("out", "a.iso"), .init("gid", "00")]
                ),
                .init(uris: ["http://host/b"]),
            ]
        )
        #expect(Aria2List.downloads(in: " out=x\n").isEmpty)
    }
}
