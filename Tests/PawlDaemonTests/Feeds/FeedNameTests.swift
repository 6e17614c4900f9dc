import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlWire
import Testing

/// How feeds are named that the user has not named.
@Suite(.timeLimit(.minutes(5)))
struct FeedNameTests {
    private func feed(_ name: String, given: String? = nil, title: String? = nil) -> FeedTable.Row {
        let download = NewDownload(url: "https://host.example/feed.xml", destination: "/nowhere/")
        var feed = FeedTable.Row(
            name: name,
            owner: .user,
            request: NewFeed(download, name: given),
            at: Date(timeIntervalSince1970: 0)
        )
        feed.state.title = title
        return feed
    }

    /// The name of a feed after it has got another title.
    private func name(
        of feed: FeedTable.Row,
        titled title: String,
        taken: Set<ExactText> = []
    ) -> String {
        var changed = feed
        changed.state.title = title
        changed.rename(since: feed, taken)
        return changed.name
    }

    @Test func `a title becomes a name without characters that must not be shown`() {
        #expect(FeedName.after(title: "The Show") == "The Show")
        #expect(FeedName.after(title: "a\u{1B}[31mb\u{202E}c\u{FFFD}") == "a[31mbc")
        #expect(FeedName.after(title: " \u{7}Über ") == "Über")
        // A name must be neither a pattern nor an option: commands would act on other feeds.
        #expect(FeedName.after(title: "*") == nil)
        #expect(FeedName.after(title: "--G*o?") == "Go")
        #expect(FeedName.after(title: "2026") == nil)
        #expect(FeedName.after(title: "\u{1B}\u{9C}") == nil)
    }

    @Test func `a long title is cut between characters`() {
        #expect(FeedName.after(title: String(repeating: "x", count: 300))?.utf8.count == 100)
        let long = FeedName.after(title: String(repeating: "語", count: 300))
        #expect(long == String(repeating: "語", count: 33))
        // One character may have thousands of scalars.
        #expect(FeedName.after(title: "a" + String(repeating: "\u{301}", count: 299)) == nil)
    }

    @Test func `a feed is named after its title once the title is known`() {
        #expect(FeedName.after(url: "https://host.example/feed.xml") == "host.example")
        #expect(name(of: feed("host.example"), titled: "News") == "News")
        #expect(name(of: feed("host.example-3"), titled: "News") == "News")
        #expect(name(of: feed("host.example"), titled: "7") == "host.example")
        #expect(name(of: feed("News", title: "News"), titled: "Other") == "Other")
    }

    @Test func `a name that the user has given stays`() {
        #expect(name(of: feed("mine", given: "mine"), titled: "News") == "mine")
        let host = feed("host.example", given: "host.example")
        #expect(name(of: host, titled: "News") == "host.example")
        #expect(name(of: feed("mine"), titled: "News") == "mine")
    }

    @Test func `a feed does not take the name of another one`() {
        let taken: Set<ExactText> = ["host.example", "News", "News-2"]
        #expect(name(of: feed("host.example"), titled: "News", taken: taken) == "News-3")
        // Its own number stays.
        let second = feed("News-2", title: "News")
        #expect(name(of: second, titled: "News", taken: taken) == "News-2")
        #expect(FeedName.isMade("News-2", of: "News"))
        #expect(!FeedName.isMade("Newspaper", of: "News"))
        #expect(!FeedName.isMade("News-letter", of: "News"))
    }
}
