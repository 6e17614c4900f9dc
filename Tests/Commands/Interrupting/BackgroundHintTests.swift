import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BackgroundHintTests {
    private func hint(_ options: [OptionAssignment], _ urls: [String]) throws -> String? {
        let batch = try DownloadBatch(urls: urls, list: nil, options: options)
        return BackgroundHint(options: options).text(for: batch.downloads)
    }

    @Test func `the command contains the options and the unfinished downloads`() throws {
        let text = try hint(
            [
                OptionAssignment("connections", "4"),
                OptionAssignment("directory", "My Files/it's"),
                OptionAssignment("wait-for-network", "true"), OptionAssignment("header", "X-A: b"),
                OptionAssignment("user-agent", ""),
            ],
            ["https://a.example/1?x=1&y=2", "https://a.example/2"]
        )
        #expect(
            text == """
                To continue in the background: pawl get --background --connections 4 \
                --directory 'My Files/it'\\''s' --wait-for-network --header 'X-A: b' \
                --user-agent '' 'https://a.example/1?x=1&y=2' https://a.example/2
                """
        )
    }

    @Test func `a quote before a combining mark is escaped, too`() throws {
        let directory = OptionAssignment("directory", "a'\u{301}b")
        let text = try #require(try hint([directory], ["https://a.example/1"]))
        let quoted = #"--directory 'a'\''\#u{301}b' "#
        #expect(text.utf8.firstRange(of: quoted.utf8) != nil, "\(text)")
    }

    @Test func `no-resume is left out`() throws {
        let text = try hint([OptionAssignment("no-resume", "true")], ["https://a.example/1"])
        #expect(text == "To continue in the background: pawl get --background https://a.example/1")
    }

    @Test func `without unfinished downloads there is no hint`() throws {
        #expect(BackgroundHint(options: []).text(for: []) == nil)
    }

    private static let secrets: [([OptionAssignment], String)] = [
        ([], "https://me:hunter2@a.example/1"), ([], "https://a.example/1?X-Amz-Signature=hunter2"),
        ([OptionAssignment("header", "Authorization: hunter2")], "https://a.example/1"),
        ([OptionAssignment("header", "X-Api-Key: hunter2")], "https://a.example/1"),
        ([OptionAssignment("user", "me:hunter2")], "https://a.example/1"),
        ([OptionAssignment("mirror", "https://b.example/1?token=hunter2")], "https://a.example/1"),
        ([OptionAssignment("mirror", "https://me:hunter2@b.example/1")], "https://a.example/1"),
    ]

    @Test(arguments: 0..<secrets.count)
    func `a secret is not printed`(number: Int) throws {
        let (options, url) = Self.secrets[number]
        let text = try #require(try hint(options, [url]))
        #expect(text == "To continue in the background: run the same command with --background")
    }

    @Test func `a command that cannot be printed is described`() throws {
        let batch = try DownloadBatch(urls: ["https://a.example/1"], list: nil, options: [])
        var hint = BackgroundHint(options: [])
        hint.hasList = true
        hint.omittedOptions = ["--jobs", "--total-limit"]
        #expect(
            hint.text(for: batch.downloads) == """
                To continue in the background: run the same command with --background and without --jobs, \
                --total-limit
                """
        )
        let many = (0..<200).map { "https://a.example/\($0)" }
        let text = try self.hint([], many)
        #expect(text == "To continue in the background: run the same command with --background")
    }
}
