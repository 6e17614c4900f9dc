import struct FoundationEssentials.URL
import PawlCore
import PawlLibrary
import Testing

/// Contract: "one download per key: a second request for a running key joins it, for a finished key
/// returns the file, for a paused key resumes it".
@Suite(.timeLimit(.minutes(5)))
struct LibraryIndexTests {
    @Test func `a running key is joined and has one run`() throws {
        var scene = IndexScene()
        #expect(scene.ask("a").count { $0.isStart } == 1)
        #expect(scene.ask("a").isEmpty)
        #expect(scene.ask("b").count { $0.isStart } == 1)
        let actions = scene.end("a", .finished(scene.file("a"), wasFetched: true))
        #expect(actions.concluded == [.finished("a")])
        #expect(scene.ask("a").given == ["a"])
    }

    @Test func `a paused key resumes with its own URL and name`() throws {
        var scene = IndexScene()
        _ = scene.ask("a", name: "first.bin")
        let run = try #require(scene.run(of: "a"))
        #expect(scene.index.handle(.pauseAsked("a")).stops == [true])
        // A request made while the run ends is not refused.
        #expect(scene.ask("a", hasURL: false).isEmpty)
        let actions = scene.end("a", .stopped)
        let start = try #require(actions.starts.first)
        #expect(start.run != run)
        #expect(start.pending.name == "first.bin")
        #expect(start.pending.url == scene.url("a"))
        _ = scene.index.handle(.pauseAsked("a"))
        #expect(scene.end("a", .stopped).concluded == [.failed(.interrupted)])
        #expect(scene.ask("a", hasURL: false).starts.map(\.pending.name) == ["first.bin"])
    }

    @Test func `the last waiter to leave pauses the download unless others want it`() {
        var scene = IndexScene()
        _ = scene.ask("a")
        _ = scene.ask("a")
        #expect(scene.index.handle(.waitCancelled("a")).isEmpty)
        #expect(scene.index.handle(.waitCancelled("a")).stops == [true])
        _ = scene.ask("b")
        _ = scene.ask("b", waits: false)
        #expect(scene.index.handle(.waitCancelled("b")).isEmpty)
    }

    @Test func `a new URL starts another run when the old one has ended`() throws {
        var scene = IndexScene()
        _ = scene.ask("a")
        let other = try #require(URL(string: "http://other.example/a"))
        #expect(scene.index.handle(.urlReplaced("a", other)).stops == [true])
        #expect(scene.end("a", .stopped).starts.map(\.pending.url) == [other])
        // For a failed download the URL is recorded and used with the next request.
        _ = scene.end("a", .failed(DownloadError(.network, "broke"), reached: 1000))
        #expect(
            scene.index.handle(.urlReplaced("a", scene.url("a"))).saves.map(\.url) == [
                scene.url("a")
            ]
        )
        #expect(scene.ask("a", hasURL: false).starts.map(\.pending.url) == [scene.url("a")])
        #expect(scene.index.handle(.urlReplaced("none", other)).isEmpty)
    }

    @Test(arguments: [401, 403, 410])
    func `a renewal is requested once, and again only after more bytes`(status: Int) throws {
        var scene = IndexScene()
        let expired = DownloadError(status: status, reason: "", host: "h")
        _ = scene.ask("a", renews: true)
        #expect(scene.end("a", .failed(expired, reached: 1000)).renewals == ["a"])
        let run = try #require(scene.run(of: "a"))
        #expect(scene.index.handle(.urlGiven("a", run + 1, scene.url("a"))).isEmpty)
        let other = try #require(URL(string: "http://other.example/a"))
        let actions = scene.index.handle(.urlGiven("a", run, other))
        #expect(actions.starts.map(\.pending.url) == [other])
        #expect(
            scene.end("a", .failed(expired, reached: 0)).concluded == [.failed(.code(status))]
        )
        _ = scene.ask("a", renews: true)
        _ = scene.end("a", .failed(expired, reached: 0))
        _ = scene.index.handle(.urlGiven("a", scene.run(of: "a") ?? 0, other))
        #expect(scene.end("a", .failed(expired, reached: 1000)).renewals == ["a"])
        #expect(
            scene.index.handle(.urlGiven("a", scene.run(of: "a") ?? 0, nil)).concluded
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
        var scene = IndexScene()
        let expired = DownloadError(status: 403, reason: "", host: "h")
        _ = scene.ask("a")
        _ = scene.ask("a", renews: true)
        #expect(scene.end("a", .failed(expired, reached: 0)).renewals == ["a"])
    }

    @Test func `other failures, and requests without a closure, trigger no renewal`() {
        var scene = IndexScene()
        _ = scene.ask("a", renews: true)
        let gone = DownloadError(status: 404, reason: "", host: "h")
        #expect(scene.end("a", .failed(gone, reached: 1000)).renewals.isEmpty)
        _ = scene.ask("b")
        let expired = DownloadError(status: 403, reason: "", host: "h")
        #expect(scene.end("b", .failed(expired, reached: 1000)).renewals.isEmpty)
    }

    @Test func `a discarded key is forgotten when its run has ended`() {
        var scene = IndexScene()
        _ = scene.ask("a")
        #expect(scene.index.handle(.cancelAsked("a")).stops == [false])
        #expect(scene.ask("a").refused == [.cancelled])
        let actions = scene.end("a", .stopped)
        #expect(actions.concluded == [.failed(.cancelled)])
        #expect(scene.index.entries.isEmpty)
        #expect(scene.index.handle(.cancelAsked("a")).isEmpty)
    }

    @Test func `a finished file is revalidated or replaced under its own name`() throws {
        var scene = IndexScene()
        scene.finish("a")
        let start = try #require(scene.ask("a", policy: .revalidate).starts.first)
        #expect(start.revalidates?.name == "a")
        #expect(start.pending.name == "a")
        let same = scene.file("a")
        #expect(
            scene.end("a", .finished(same, wasFetched: false)).concluded == [.finished("a")]
        )
        let again = try #require(scene.ask("a", policy: .reload).starts.first)
        #expect(again.pending.replaces)
        #expect(again.revalidates == nil)
    }

    @Test func `a request leaves a changed file alone, and a reload replaces it`() throws {
        var scene = IndexScene()
        scene.finish("a")
        scene.change("a")
        let beside = try #require(scene.ask("a", name: "a").starts.first)
        #expect(!beside.pending.replaces)
        #expect(beside.pending.name == "a.1")
        _ = scene.index.handle(.cancelAsked("a"))
        _ = scene.end("a", .stopped)
        let instead = try #require(scene.ask("a", policy: .reload).starts.first)
        #expect(instead.pending.replaces)
        #expect(instead.pending.name == "a")
    }

    /// The URL that is known from before gave the file its extension.
    @Test func `a copy beside a changed file is named after it`() throws {
        var scene = IndexScene()
        scene.finish("a", name: "a.iso")
        scene.change("a.iso")
        let beside = try #require(scene.ask("a", hasURL: false).starts.first)
        #expect(beside.pending.name == "a.1.iso")
        _ = scene.index.handle(.cancelAsked("a"))
        _ = scene.end("a", .stopped)
        let chosen = scene.ask("a", hasURL: false, name: "b.img", isNameGiven: true)
        #expect(chosen.starts.map(\.pending.name) == ["b.img"])
    }

    @Test func `two keys never get the same name`() {
        var scene = IndexScene()
        #expect(scene.ask("a", name: "x.png").starts.map(\.pending.name) == ["x.png"])
        #expect(scene.ask("b", name: "x.png").starts.map(\.pending.name) == ["x.1.png"])
        scene.finish("a", name: "x.png")
        #expect(scene.ask("c", name: "x.png").starts.map(\.pending.name) == ["x.2.png"])
    }

    @Test func `a key without a URL cannot be fetched`() {
        var scene = IndexScene()
        #expect(scene.ask("a", hasURL: false).refused == [.usage])
        #expect(scene.index.entries.isEmpty)
    }

    @Test func `closing pauses all runs and starts no more`() {
        var scene = IndexScene()
        _ = scene.ask("a", renews: true)
        _ = scene.ask("b", renews: true)
        let expired = DownloadError(status: 403, reason: "", host: "h")
        _ = scene.end("b", .failed(expired, reached: 1000))
        let actions = scene.index.handle(.closed)
        #expect(actions.stops == [true])
        #expect(actions.concluded == [.failed(.interrupted)])
        #expect(
            scene.end("a", .failed(expired, reached: 1000)).concluded == [.failed(.interrupted)]
        )
        #expect(scene.ask("c").refused == [.usage])
    }
}
