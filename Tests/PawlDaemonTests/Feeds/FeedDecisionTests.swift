import FoundationEssentials
import Pawl
import PawlCore
import PawlDaemon
import PawlWire
import Testing

/// Which items of a feed are added, and when it is checked.
@Suite(.timeLimit(.minutes(5)))
struct FeedDecisionTests {
    private let now = Date(timeIntervalSince1970: 1_795_262_400)

    private func item(_ id: String?, _ file: String, _ published: Int64? = nil)
        -> FeedDocument.Item
    {
        var item = FeedDocument.Item()
        (item.id, item.published) = (id, published)
        item.title = "Title of \(file)"
        item.enclosure = "https://host.example/\(file)"
        return item
    }

    private func decide(
        _ items: [FeedDocument.Item],
        known: [ExactText: Date] = [:],
        _ rules: FeedRules = FeedRules(),
        isFirst: Bool = false
    ) -> FeedMemory.Decision {
        var document = FeedDocument()
        document.items = items
        return FeedMemory.decide(document, known: known, rules: rules, isFirst: isFirst, at: now)
    }

    private func names(_ decision: FeedMemory.Decision) -> [String] {
        decision.added.compactMap { $0.url.split(separator: "/").last.map(String.init) }
    }

    /// The keys of all items that are recorded as seen.
    private func seen(_ decision: FeedMemory.Decision) -> Set<ExactText> {
        Set(decision.seen + decision.added.map(\.key))
    }

    @Test func `the first check adds only the newest items, and remembers all`() {
        let items = [item("1", "a", 100), item("2", "b", 300), item("3", "c", 200)]
        var rules = FeedRules()
        let first = decide(items, isFirst: true)
        #expect(names(first) == ["b"])
        #expect(seen(first) == ["1", "2", "3"])
        #expect(first.added.map(\.key) == ["2"])
        rules.newest = 2
        #expect(names(decide(items, rules, isFirst: true)) == ["c", "b"])
        rules.newest = 0
        let none = decide(items, rules, isFirst: true)
        #expect(none.added.isEmpty && none.seen.count == 3)
        // Without all dates, the feed begins with the newest.
        let undated = items + [item("4", "d")]
        #expect(names(decide(undated, isFirst: true)) == ["a"])
        #expect(names(decide(items)) == ["a", "c", "b"])
    }

    @Test func `an item is recognized by its id, otherwise by its URL`() {
        let known: [ExactText: Date] = ["1": now, "https://host.example/b": now]
        let items = [item("1", "moved"), item(nil, "b"), item("2", "b"), item("2", "c")]
        let decision = decide(items, known: known)
        #expect(names(decision) == ["b"])
        #expect(seen(decision) == ["2"])
        let long = String(repeating: "x", count: 10_000)
        let first = decide([item(long + "1", "a"), item(long + "2", "b")])
        #expect(first.added.count == 2)
        #expect(seen(first).allSatisfy { $0.text.utf8.count <= 520 })
    }

    @Test func `rules choose by title and by name of the file`() {
        var rules = FeedRules()
        rules.match = ["TITLE OF A", "*.iso"]
        rules.exclude = ["*debug*"]
        let items = [item("1", "a"), item("2", "b"), item("3", "c.ISO"), item("4", "a-debug.iso")]
        #expect(names(decide(items, rules)) == ["c.ISO", "a"])
        #expect(seen(decide(items, rules)).count == 4)
    }

    private func known(_ decision: FeedMemory.Decision) -> [ExactText: Date] {
        Dictionary(uniqueKeysWithValues: seen(decision).map { ($0, now) })
    }

    @Test func `links are taken only on request, and not of items that were seen before`() {
        var page = FeedDocument.Item()
        (page.id, page.link) = ("1", "https://host.example/page")
        let before = decide([page])
        #expect(before.added.isEmpty && before.seen.count == 1)
        var rules = FeedRules()
        rules.takesLinks = true
        var new = page
        (new.id, new.link) = (nil, "https://host.example/new")
        let after = decide([page, new], known: known(before), rules)
        #expect(names(after) == ["new"])
        #expect(
            decide([page, new], known: known(before).merging(known(after)) { $1 }, rules)
                .added.isEmpty
        )
        #expect(names(decide([page], rules)) == ["page"])
    }

    @Test func `an item to be added has its title and the media type of its file`() {
        var audio = item("1", "a")
        audio.mediaType = "audio/mpeg"
        var page = FeedDocument.Item()
        (page.id, page.title, page.link) = ("2", "Page", "https://host.example/page")
        var rules = FeedRules()
        rules.takesLinks = true
        let added = decide([audio, page], rules).added
        #expect(added.map(\.title) == ["Page", "Title of a"])
        #expect(added.map(\.mediaType) == ["text/html", "audio/mpeg"])
    }

    @Test func `an item that gets its file later is added then`() {
        var early = item("1", "a")
        early.enclosure = nil
        let before = decide([early])
        #expect(names(decide([item("1", "a")], known: known(before))) == ["a"])
    }

    @Test func `a check adds a limited number of items, and sees the others`() {
        let items = (0..<350).map { item("\($0)", "\($0)") }
        let decision = decide(items)
        #expect(names(decision) == (0..<100).reversed().map { "\($0)" })
        #expect(decision.skipped == 250)
        #expect(seen(decision).count == 350)
        // A first check adds as many as the user wants.
        var rules = FeedRules()
        rules.newest = 200
        let first = decide(items, rules, isFirst: true)
        #expect(first.added.count == 200 && first.skipped == 0)
    }

    @Test func `items that have left the feed are forgotten late, and others never`() {
        var known: [ExactText: Date] = [:]
        for index in 0..<6000 {
            known[ExactText("gone-\(index)")] = now.addingTimeInterval(-Double(index))
        }
        known["there"] = now.addingTimeInterval(-500 * 86_400)
        known["old"] = now.addingTimeInterval(-401 * 86_400)
        let decision = decide([item("there", "a")], known: known)
        #expect(decision.added.isEmpty)
        #expect(decision.seen == ["there"])
        #expect(decision.forgotten.count == 1001)
        #expect(decision.forgotten.contains("old"))
        #expect(decision.forgotten.contains("gone-5000"))
        #expect(!decision.forgotten.contains("gone-4999"))
    }

    private func wait(
        _ rules: FeedRules = FeedRules(),
        _ state: FeedState = FeedState(),
        after failure: DownloadError? = nil,
        jitter: Double = 0
    ) -> Double? {
        FeedSchedule.next(rules, state, after: failure, at: now, jitter: jitter)
            .map { $0.timeIntervalSince(now) }
    }

    @Test func `the next check is after the interval, or the longer one of the feed`() {
        var (rules, state) = (FeedRules(), FeedState())
        #expect(wait() == 3600)
        #expect(wait(jitter: 1) == 3960)
        rules.everySeconds = 0
        #expect(wait(rules) == nil)
        rules.everySeconds = 600
        state.updateSeconds = 7200
        #expect(wait(rules, state) == 7200)
        state.updateSeconds = 365 * 86_400
        #expect(wait(rules, state) == 604_800)
    }

    @Test func `failures make the interval grow, up to a limit`() {
        let outage = DownloadError(.network, "no route")
        var (rules, state) = (FeedRules(), FeedState())
        var waits: [Double?] = []
        for failures in [1, 2, 3, 9, 60] {
            state.failures = failures
            waits.append(wait(rules, state, after: outage))
        }
        #expect(waits == [300, 600, 1200, 76_800, 86_400])
        state.failures = 1
        var busy = DownloadError(.serverBusy, "busy", retryAfter: .seconds(5000))
        #expect(wait(rules, state, after: busy) == 5000)
        busy = DownloadError(.serverBusy, "busy", retryAfter: .seconds(90 * 86_400))
        #expect(wait(rules, state, after: busy) == 604_800)
        // What the server refuses is not requested more often.
        #expect(wait(rules, state, after: DownloadError(.badResponse, "no feed")) == 3600)
        rules.everySeconds = 10 * 86_400
        state.failures = 50
        #expect(wait(rules, state, after: outage) == 864_000)
    }

    @Test func `a check is due if the clock was ahead when it was planned`() {
        var (rules, state) = (FeedRules(), FeedState())
        func isDue(in seconds: Double) -> Bool {
            FeedSchedule.isDue(now.addingTimeInterval(seconds), rules, state, at: now)
        }
        #expect(isDue(in: 0) && isDue(in: -1))
        #expect(!isDue(in: 3600))
        #expect(!isDue(in: 3960))
        #expect(isDue(in: 4100))
        rules.everySeconds = 31 * 86_400
        #expect(!isDue(in: 31 * 86_400 + 600))
        #expect(isDue(in: 32 * 86_400))
        state.checkedAt = now.addingTimeInterval(30)
        #expect(!isDue(in: 3600))
        state.checkedAt = now.addingTimeInterval(86_400)
        #expect(isDue(in: 3600))
        // A server may have asked for a long wait.
        (rules, state) = (FeedRules(), FeedState())
        state.failures = 1
        #expect(!isDue(in: 7 * 86_400))
        #expect(isDue(in: 8 * 86_400))
    }

    @Test func `rules and names are checked`() throws {
        for (name, value) in [("everySeconds", 299), ("everySeconds", 99_999_999), ("newest", -1)] {
            let rules = try WireJSON.decode(FeedRules.self, from: #"{"\#(name)":\#(value)}"#.utf8)
            #expect(throws: DownloadError.self, "\(name)") { try rules.check() }
        }
        for name in ["", "7", "a\nb", String(repeating: "x", count: 201)] {
            #expect(throws: DownloadError.self, "\(name)") { try NewFeed.check(name: name) }
        }
        for url in ["ftp://host.example/feed", "file:///etc/passwd"] {
            let feed = NewFeed(NewDownload(url: url, destination: "/tmp/"))
            #expect(throws: DownloadError.self, "\(url)") { try feed.check() }
        }
        let file = NewFeed(NewDownload(url: "http://host.example/", destination: "/tmp/a"))
        #expect(throws: DownloadError.self) { try file.check() }
    }
}
