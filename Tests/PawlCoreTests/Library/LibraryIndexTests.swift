import struct FoundationEssentials.URL
import PawlCore
import Testing

/// Contract: "one download per key: a second request for a running key joins it, for a finished key
/// returns the file, for a paused key resumes it".
@Suite(.timeLimit(.minutes(1)))
struct LibraryIndexTests {
    @Test func `a running key is joined and has one run`() throws {
        var desk = IndexDesk()
        #expect(desk.ask("a").count { $0.isStart } == 1)
        #expect(desk.ask("a").isEmpty)
        #expect(desk.ask("b").count { $0.isStart } == 1)
        let actions = desk.end("a", .finished(desk.file("a"), wasFetched: true))
        #expect(actions.concluded == [.finished("a")])
        #expect(desk.ask("a").given == ["a"])
    }

    @Test func `a paused key resumes with its own URL and name`() throws {
        var desk = IndexDesk()
        _ = desk.ask("a", name: "first.bin")
        let run = try #require(desk.run(of: "a"))
        #expect(desk.index.handle(.pauseAsked("a")).stops == [true])
        // A request made while the run ends is not refused.
        #expect(desk.ask("a", hasURL: false).isEmpty)
        let actions = desk.end("a", .stopped)
        let start = try #require(actions.starts.first)
        #expect(start.run != run)
        #expect(start.order.name == "first.bin")
        #expect(start.order.url == desk.url("a"))
        _ = desk.index.handle(.pauseAsked("a"))
        #expect(desk.end("a", .stopped).concluded == [.failed(.interrupted)])
        #expect(desk.ask("a", hasURL: false).starts.map(\.order.name) == ["first.bin"])
    }

    @Test func `the last waiter to leave pauses the download unless others want it`() {
        var desk = IndexDesk()
        _ = desk.ask("a")
        _ = desk.ask("a")
        #expect(desk.index.handle(.waiterLeft("a")).isEmpty)
        #expect(desk.index.handle(.waiterLeft("a")).stops == [true])
        _ = desk.ask("b")
        _ = desk.ask("b", waits: false)
        #expect(desk.index.handle(.waiterLeft("b")).isEmpty)
    }

    @Test func `a new URL starts another run when the old one has ended`() throws {
        var desk = IndexDesk()
        _ = desk.ask("a")
        let other = try #require(URL(string: "http://other.example/a"))
        #expect(desk.index.handle(.urlReplaced("a", other)).stops == [true])
        #expect(desk.end("a", .stopped).starts.map(\.order.url) == [other])
        // For a failed download the URL is recorded and used with the next request.
        _ = desk.end("a", .failed(DownloadError(.network, "broke"), reached: 1000))
        #expect(
            desk.index.handle(.urlReplaced("a", desk.url("a"))).saves.map(\.url) == [desk.url("a")]
        )
        #expect(desk.ask("a", hasURL: false).starts.map(\.order.url) == [desk.url("a")])
        #expect(desk.index.handle(.urlReplaced("none", other)).isEmpty)
    }

    @Test(arguments: [401, 403, 410])
    func `a renewal is requested once, and again only after more bytes`(status: Int) throws {
        var desk = IndexDesk()
        let expired = DownloadError(status: status, reason: "", host: "h")
        _ = desk.ask("a", renews: true)
        #expect(desk.end("a", .failed(expired, reached: 1000)).renewals == ["a"])
        let run = try #require(desk.run(of: "a"))
        #expect(desk.index.handle(.urlGiven("a", run + 1, desk.url("a"))).isEmpty)
        let other = try #require(URL(string: "http://other.example/a"))
        let actions = desk.index.handle(.urlGiven("a", run, other))
        #expect(actions.starts.map(\.order.url) == [other])
        #expect(
            desk.end("a", .failed(expired, reached: 0)).concluded == [.failed(.code(status))]
        )
        _ = desk.ask("a", renews: true)
        _ = desk.end("a", .failed(expired, reached: 0))
        _ = desk.index.handle(.urlGiven("a", desk.run(of: "a") ?? 0, other))
        #expect(desk.end("a", .failed(expired, reached: 1000)).renewals == ["a"])
        #expect(
            desk.index.handle(.urlGiven("a", desk.run(of: "a") ?? 0, nil)).concluded
                == [.failed(.code(status))]
        )
    }

    @Test func `a source that always restarts is not renewed in a loop`() {
        let expired = DownloadError(status: 403, reason: "", host: "h")
        var renewal = LinkRenewal()
        var answers: [Bool] = []
        for reached in [4000, 4000, 100, 4001] as [Int64] {
            answers.append(renewal.mayAsk(after: expired, reached: reached))
        }
        #expect(answers == [true, false, false, true])
        // A few bytes each time do not justify endless renewals.
        var asked = 2
        for bytes in 5000..<6000 where renewal.mayAsk(after: expired, reached: Int64(bytes)) {
            asked += 1
        }
        #expect(asked == LinkRenewal.most)
    }

    @Test func `a joining request can supply the renewal closure`() {
        var desk = IndexDesk()
        let expired = DownloadError(status: 403, reason: "", host: "h")
        _ = desk.ask("a")
        _ = desk.ask("a", renews: true)
        #expect(desk.end("a", .failed(expired, reached: 0)).renewals == ["a"])
    }

    @Test func `other failures, and requests without a closure, trigger no renewal`() {
        var desk = IndexDesk()
        _ = desk.ask("a", renews: true)
        let gone = DownloadError(status: 404, reason: "", host: "h")
        #expect(desk.end("a", .failed(gone, reached: 1000)).renewals.isEmpty)
        _ = desk.ask("b")
        let expired = DownloadError(status: 403, reason: "", host: "h")
        #expect(desk.end("b", .failed(expired, reached: 1000)).renewals.isEmpty)
    }

    @Test func `a discarded key is forgotten when its run has ended`() {
        var desk = IndexDesk()
        _ = desk.ask("a")
        #expect(desk.index.handle(.cancelAsked("a")).stops == [false])
        #expect(desk.ask("a").refused == [.cancelled])
        let actions = desk.end("a", .stopped)
        #expect(actions.concluded == [.failed(.cancelled)])
        #expect(desk.index.entries.isEmpty)
        #expect(desk.index.handle(.cancelAsked("a")).isEmpty)
    }

    @Test func `a finished file is revalidated or replaced under its own name`() throws {
        var desk = IndexDesk()
        desk.finish("a")
        let start = try #require(desk.ask("a", policy: .revalidate).starts.first)
        #expect(start.revalidates?.name == "a")
        #expect(start.order.name == "a")
        let same = desk.file("a")
        #expect(
            desk.end("a", .finished(same, wasFetched: false)).concluded == [.finished("a")]
        )
        let again = try #require(desk.ask("a", policy: .reload).starts.first)
        #expect(again.order.replaces)
        #expect(again.revalidates == nil)
    }

    @Test func `a request leaves a changed file alone, and a reload replaces it`() throws {
        var desk = IndexDesk()
        desk.finish("a")
        desk.change("a")
        let beside = try #require(desk.ask("a", name: "a").starts.first)
        #expect(!beside.order.replaces)
        #expect(beside.order.name == "a.1")
        _ = desk.index.handle(.cancelAsked("a"))
        _ = desk.end("a", .stopped)
        let instead = try #require(desk.ask("a", policy: .reload).starts.first)
        #expect(instead.order.replaces)
        #expect(instead.order.name == "a")
    }

    @Test func `two keys never get the same name`() {
        var desk = IndexDesk()
        #expect(desk.ask("a", name: "x.png").starts.map(\.order.name) == ["x.png"])
        #expect(desk.ask("b", name: "x.png").starts.map(\.order.name) == ["x.1.png"])
        desk.finish("a", name: "x.png")
        #expect(desk.ask("c", name: "x.png").starts.map(\.order.name) == ["x.2.png"])
    }

    @Test func `a key without a URL cannot be fetched`() {
        var desk = IndexDesk()
        #expect(desk.ask("a", hasURL: false).refused == [.usage])
        #expect(desk.index.entries.isEmpty)
    }

    @Test func `closing pauses all runs and starts no more`() {
        var desk = IndexDesk()
        _ = desk.ask("a", renews: true)
        _ = desk.ask("b", renews: true)
        let expired = DownloadError(status: 403, reason: "", host: "h")
        _ = desk.end("b", .failed(expired, reached: 1000))
        let actions = desk.index.handle(.closed)
        #expect(actions.stops == [true])
        #expect(actions.concluded == [.failed(.interrupted)])
        #expect(desk.end("a", .failed(expired, reached: 1000)).concluded == [.failed(.interrupted)])
        #expect(desk.ask("c").refused == [.usage])
    }
}
