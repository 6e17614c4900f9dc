import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BackgroundOfferTests {
    private func offer(_ options: [OptionAssignment], _ urls: [String]) throws -> String? {
        let book = try OrderBook(urls: urls, list: nil, options: options)
        return BackgroundOffer(options: options).sentence(for: book.orders)
    }

    @Test func `the command has the options and what is left`() throws {
        let text = try offer(
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
                In the background: pawl get --background --connections 4 \
                --directory 'My Files/it'\\''s' --wait-for-network --header 'X-A: b' \
                --user-agent '' 'https://a.example/1?x=1&y=2' https://a.example/2
                """
        )
    }

    @Test func `to start anew is not for what goes on`() throws {
        let text = try offer([OptionAssignment("no-resume", "true")], ["https://a.example/1"])
        #expect(text == "In the background: pawl get --background https://a.example/1")
    }

    @Test func `nothing left, nothing said`() throws {
        #expect(BackgroundOffer(options: []).sentence(for: []) == nil)
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
    func `a secret is not shown`(number: Int) throws {
        let (options, url) = Self.secrets[number]
        let text = try #require(try offer(options, [url]))
        #expect(text == "In the background: the same command with --background")
    }

    @Test func `what a command cannot say is said in words`() throws {
        let orders = try OrderBook(urls: ["https://a.example/1"], list: nil, options: []).orders
        var offer = BackgroundOffer(options: [])
        offer.hasList = true
        offer.leftOut = ["--jobs", "--limit-rate"]
        #expect(
            offer.sentence(for: orders) == """
                In the background: the same command with --background and without --jobs, \
                --limit-rate
                """
        )
        let many = (0..<200).map { "https://a.example/\($0)" }
        let text = try self.offer([], many)
        #expect(text == "In the background: the same command with --background")
    }
}
