import PawlCLI
import PawlCore
import Testing

/// Which daemon is chosen, and which options belong to it.
@Suite(.timeLimit(.minutes(5)))
struct DaemonChoiceTests {
    private func option(_ name: String, _ value: String) -> OptionAssignment {
        OptionAssignment(name, value)
    }

    private func take(_ words: String...) throws -> (options: [OptionAssignment], rest: [String]) {
        var rest = words
        let options = try DaemonChoiceOptions.take(from: &rest)
        return (options, rest)
    }

    @Test func `the options stand before the subcommand`() throws {
        let taken = try take(
            "--daemon",
            "https://nas.example:6880/pawl",
            "--daemon-token-file=token",
            "--daemon-unencrypted",
            "list",
            "--daemon-cacert",
            "x"
        )
        #expect(taken.rest == ["list", "--daemon-cacert", "x"])
        #expect(
            taken.options.map { "\($0.name)=\($0.value)" } == [
                "daemon=https://nas.example:6880/pawl", "daemon-token-file=token",
                "daemon-unencrypted=true",
            ]
        )
        let none = try take("list", "--all")
        #expect(none.options.isEmpty && none.rest == ["list", "--all"])
    }

    @Test(arguments: [
        ["--daemon"], ["--daemon-token", "x"], ["--daemon-token=x", "list"],
        ["--daemon-unencrypted=x", "list"],
    ])
    func `an option without its value, and the token itself, are refused`(words: [String]) {
        var rest = words
        let error = #expect(throws: DownloadError.self) {
            try DaemonChoiceOptions.take(from: &rest)
        }
        #expect(error?.code == .usage)
    }

    @Test func `a later level replaces an earlier one, and local is this machine`() throws {
        let first = [option("daemon", "https://one.example")]
        let second = [option("daemon", "https://two.example/pawl")]
        let local = [option("daemon", "local")]
        #expect(try DaemonChoice([]).url == nil)
        #expect(try DaemonChoice([first, []]).url == "https://one.example/")
        #expect(try DaemonChoice([first, second]).url == "https://two.example/pawl/")
        #expect(try DaemonChoice([first, second, local]).url == nil)
        // An option without a daemon has no effect.
        #expect(try DaemonChoice([[option("daemon-token", "x")]]).url == nil)
    }

    @Test(arguments: [
        "http://nas.example", "http://192.0.2.1:6880", "http://localhost:6880", "nas.example",
        "https://me:secret@nas.example", "https://nas.example/v1/downloads",
    ])
    func `an unencrypted or invalid URL is refused`(url: String) {
        let error = #expect(throws: DownloadError.self) {
            try DaemonChoice([[option("daemon", url)]])
        }
        #expect(error?.code == .usage)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: ["http://127.0.0.1:6880", "http://[::1]:6880", "https://nas.example"])
    func `plain HTTP is accepted at this machine`(url: String) throws {
        #expect(try DaemonChoice([[option("daemon", url)]]).url == "\(url)/")
    }

    @Test func `plain HTTP to another machine must be allowed for the same daemon`() throws {
        let daemon = option("daemon", "http://nas.example")
        let allowed = option("daemon-unencrypted", "true")
        #expect(try DaemonChoice([[daemon, allowed]]).url == "http://nas.example/")
        #expect(try DaemonChoice([[daemon, allowed], [daemon]]).url == "http://nas.example/")
        let other = option("daemon", "http://other.example")
        #expect(throws: DownloadError.self) { try DaemonChoice([[daemon, allowed], [other]]) }
        let invalid = option("daemon-unencrypted", "maybe")
        #expect(throws: DownloadError.self) { try DaemonChoice([[daemon, invalid]]) }
    }

    @Test func `a path of another machine is absolute or below its folder for downloads`() throws {
        for path in ["", "disk.iso", "films/", "films/a b", "/srv/films/", "...", ".hidden"] {
            #expect(try RemotePath.check(path, "--directory") == path)
        }
        for path in [".", "./", "./x", "..", "../x", "x/../y", "/srv/./x"] {
            #expect(throws: DownloadError.self, "\(path)") {
                try RemotePath.check(path, "--directory")
            }
        }
    }
}
