import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Feeds whose new items are downloaded.
    @Suite(.timeLimit(.minutes(5)))
    struct DaemonFeedTests {
        @Test func `new items are added once, whatever the feed does with the old ones`()
            async throws
        {
            let show = try FeedScene()
            show.serve("3", "2", "1")
            let run = try await show.add()
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(try await show.added() == ["3.mp3"])
            // Another order, one more in the middle, and one that is gone for a while.
            show.serve("1", "4", "3")
            #expect(try await show.check().output.contains("1 download added"))
            show.serve("5", "2", "4", "3", "6", "1")
            #expect(try await show.check().output.contains("2 downloads added"))
            #expect(try await show.added() == ["3.mp3", "4.mp3", "6.mp3", "5.mp3"])
            // What the user has removed stays removed.
            try await show.scene.succeed("remove", "--all")
            #expect(try await show.check().output.contains("nothing new"))
            #expect(try await show.added().isEmpty)
            let feed = try await show.feed()
            #expect(feed.added == 4)
            #expect(feed.title == "Show")
            #expect(feed.problem == nil)
        }

        @Test func `the files of a feed are saved with the options of the feed`() async throws {
            let show = try FeedScene()
            let file = Resource(size: 1000)
            show.serve("2", "1")
            show.origin.route("/*", .resource(file))
            show.serve("2", "1")
            try await show.scene.succeed(
                "feed",
                "add",
                show.url,
                "--newest",
                "2",
                "-d",
                "shows",
                "-H",
                "X-Key: s3cret"
            )
            try await show.scene.succeed("wait", "--all")
            #expect(try show.scene.workshop.folder.read("shows/1.mp3") == file.bytes())
            #expect(show.requests.first?["X-Key"] == "s3cret")
            #expect(show.origin.requests(to: "/1.mp3").first?["X-Key"] == "s3cret")
            let feed = try await show.feed()
            #expect(feed.name == "Show")
            #expect(feed.destination == show.scene.workshop.folder.path("shows") + "/")
        }

        @Test func `a feed is named by its title until the user names it`() async throws {
            let show = try FeedScene()
            func serve(_ title: String, at path: String) {
                let body = "<rss><channel><title>\(title)</title></channel></rss>"
                show.origin.route(path, .status(200, body: body))
            }
            serve("The &#8238;Show", at: "/a.xml")
            serve("The Show", at: "/b.xml")
            for path in ["/a.xml", "/b.xml"] {
                let add = ["feed", "add", show.origin.url(path), "--every", "never"]
                let run = try await show.scene.workshop.run(add, show.scene.settings)
                #expect(run.status == .code(0), "\(run.everything)")
                #expect(run.output.contains("\tadded\tThe Show"))
            }
            #expect(try await show.feeds().map(\.name) == ["The Show", "The Show-2"])
            // The name follows the title.
            serve("News", at: "/b.xml")
            try await show.scene.succeed("feed", "check", "2")
            #expect(try await show.scene.succeed("feed", "list").output.contains("News"))
            try await show.scene.succeed("feed", "set", "News", "--name", "mine")
            serve("Other", at: "/b.xml")
            try await show.scene.succeed("feed", "check", "mine")
            #expect(try await show.feeds().map(\.name) == ["The Show", "mine"])
            #expect(try await show.feeds().map(\.title) == ["The \u{FFFD}Show", "Other"])
        }

        @Test func `secrets are sent to the server of the feed only`() async throws {
            let show = try FeedScene()
            let other = try ScriptedOrigin()
            let items = "<item><enclosure url=\"\(other.url("/a.mp3"))\"/></item>"
            other.route("/a.mp3", .resource(Resource(size: 10)))
            show.origin.route(
                FeedScene.path,
                .status(200, body: "<rss><channel>\(items)</channel></rss>")
            )
            let options = ["--user", "me:hunter2", "-H", "X-Key: s3cret"]
            let add = ["feed", "add", show.url] + options
            _ = try await show.scene.workshop.run(add, show.scene.settings)
            try await show.scene.succeed("wait", "--all")
            #expect(show.requests.first?["X-Key"] == "s3cret")
            let request = try #require(other.requests(to: "/a.mp3").first)
            #expect(request["Authorization"] == nil)
            #expect(request["X-Key"] == nil)
        }

        @Test func `a feed that has not changed is not read again`() async throws {
            let show = try FeedScene()
            let body = show.document(["1"])
            let known = Reply.status(304, fields: [("ETag", "\"v1\"")])
            let whole = Reply.status(200, fields: [("ETag", "\"v1\"")], body: body)
            show.origin.route(
                FeedScene.path,
                Reply { exchange in
                    let isKnown = exchange.request["If-None-Match"] == "\"v1\""
                    return (isKnown ? known : whole).plan(exchange)
                }
            )
            try await show.add()
            try await show.check()
            #expect(try await show.check().output.contains("nothing new"))
            // The daemon and the command may both have made the first check.
            #expect(show.requests.filter { $0.status == 200 }.count == 1)
            #expect(show.requests.filter { $0.status == 304 }.count >= 2)
            #expect(try await show.added() == ["1.mp3"])
        }

        @Test func `a daemon that is killed during checks adds each item once`() async throws {
            let show = try FeedScene()
            show.serve("0")
            var daemon = try await show.scene.startDaemon()
            try await show.add()
            var ids = ["0"]
            for round in 1...6 {
                ids.insert("\(round)", at: 0)
                let count = show.requests.count
                show.origin.route(FeedScene.path, .status(200, body: show.document(ids)))
                let check = try show.scene.start("feed", "check", "show")
                await show.origin.waitUntil {
                    $0.requests(to: FeedScene.path).count > count
                }
                // Every second daemon has the time to record what it has read.
                if round.isMultiple(of: 2) { await check.waitForExit() }
                daemon.signal(SIGKILL)
                await daemon.waitForExit()
                await check.waitForExit()
                daemon = try await show.scene.startDaemon()
            }
            try await show.check()
            #expect(try await show.added() == (0...6).map { "\($0).mp3" })
            #expect(try await show.feed().added == 7)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a failed check is reported, planned again, and forgotten when one succeeds`()
            async throws
        {
            let show = try FeedScene()
            show.origin.route(FeedScene.path, .status(503, fields: [("Retry-After", "7200")]))
            let run = try await show.add("--every", "30m")
            #expect(run.status == .code(ErrorCode.serverBusy.exitStatus), "\(run.everything)")
            let failed = try await show.feed()
            #expect(failed.problem?.httpStatus == 503)
            #expect((failed.failures ?? 0) > 0)
            let checked = try #require(failed.checkedAt)
            let next = try #require(failed.nextCheck)
            #expect(next.timeIntervalSince(checked) >= 7199)
            let list = try await show.scene.succeed("feed", "list")
            #expect(list.output.contains(failed.problem?.title ?? "?"))
            show.serve("1")
            try await show.check()
            let feed = try await show.feed()
            #expect(feed.problem == nil && feed.failures == nil)
            #expect(try await show.added() == ["1.mp3"])
        }

        @Test(arguments: [
            "<!DOCTYPE rss [<!ENTITY a \"b\">]><rss><channel/></rss>",
            "<html><body>x</body></html>",
            "no XML at all",
        ])
        func `a document that is not a feed adds nothing`(document: String) async throws {
            let show = try FeedScene()
            show.serve("1")
            try await show.add()
            show.origin.route(FeedScene.path, .status(200, body: document))
            let run = try await show.check()
            #expect(run.status == .code(ErrorCode.badResponse.exitStatus), "\(run.everything)")
            #expect(try await show.feed().problem?.code == .badResponse)
            show.serve("2", "1")
            try await show.check()
            #expect(try await show.added() == ["1.mp3", "2.mp3"])
        }

        @Test func `a feed that has moved for good is requested at its new URL`() async throws {
            let show = try FeedScene()
            show.origin.route("/old", .redirect(to: "/older", status: 301))
            show.origin.route("/older", .redirect(to: FeedScene.path, status: 308))
            show.serve("1")
            try await show.add(url: show.origin.url("/old"))
            #expect(try await show.feed().url == show.url)
            let count = show.origin.requests(to: "/old").count
            show.origin.route(FeedScene.path, .redirect(to: "/new", status: 302))
            show.serve("2", "1", at: "/new")
            try await show.check()
            #expect(show.origin.requests(to: "/old").count == count)
            // A temporary redirect is not remembered.
            #expect(try await show.feed().url == show.url)
            #expect(try await show.added() == ["1.mp3", "2.mp3"])
        }

        @Test func `a file on a private address is refused if another host has named it`()
            async throws
        {
            let show = try FeedScene()
            show.serve("1")
            show.origin.route("/hop", .redirect(to: show.url, status: 301))
            let url = show.origin.url("/hop", host: "localhost")
            try await show.scene.succeed("feed", "add", url, "--name", "show")
            let run = try await show.scene.run("wait", "--all")
            #expect(run.status == .code(ErrorCode.notAllowed.exitStatus), "\(run.everything)")
            #expect(show.origin.requests(to: "/1.mp3").isEmpty)
            // The new URL does not make the feed a private one.
            show.serve("2", "1")
            try await show.check()
            _ = try await show.scene.run("wait", "--all")
            let codes = try await show.scene.downloads().map { $0.problem?.code }
            #expect(codes == [.notAllowed, .notAllowed])
        }

        @Test func `local files are never items`() async throws {
            let show = try FeedScene()
            let items = ["file:///etc/passwd", "data:,x", "sftp://127.0.0.1/a"].map {
                "<item><enclosure url=\"\($0)\"/></item>"
            }
            show.origin.route(
                FeedScene.path,
                .status(200, body: "<rss><channel>\(items.joined())</channel></rss>")
            )
            #expect(try await show.add("--newest", "10").status == .code(0))
            #expect(try await show.added().isEmpty)
        }

        @Test func `the schedule survives a restart, and a new feed is checked by itself`()
            async throws
        {
            let network = try await NetworkScene.make()
            try await network.scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let origin = network.scene.workshop.origin
            origin.route("/feed.xml", .status(200, body: "<rss><channel/></rss>"))
            let add = #"""
                {"download":{"url":"\#(origin.url("/feed.xml"))","destination":""},"name":"a"}
                """#
            let answer = try await network.ask("POST", "/v1/feeds", add)
            #expect(answer.status == 201, "\(answer.body)")
            #expect(try await network.ask("POST", "/v1/feeds", add).status == 409)
            await origin.waitForRequests(1)
            let check = try await network.ask("POST", "/v1/feeds/1/check")
            #expect(check.status == 200, "\(check.body)")
            let before = try await network.scene.succeed("feed", "list", "--json").output
            network.daemon.signal(SIGTERM)
            await network.daemon.waitForExit()
            let again = try await network.scene.startDaemon()
            #expect(try await network.scene.succeed("feed", "list", "--json").output == before)
            withExtendedLifetime(again) {}
        }

        @Test func `a feed that was added over TCP stays within its bounds`() async throws {
            let network = try await NetworkScene.make()
            let origin = network.scene.workshop.origin
            origin.route("/feed.xml", .status(200, body: "<rss><channel/></rss>"))
            func add(_ destination: String, _ more: String = "") async throws -> Int {
                let url = origin.url("/feed.xml")
                let body = #"""
                    {"download":{"url":"\#(url)","destination":"\#(destination)"\#(more)}}
                    """#
                return try await network.ask("POST", "/v1/feeds", body).status
            }
            #expect(try await add("/etc/") == 403)
            #expect(try await add("", #","settings":{"onComplete":["/bin/true"]}"#) == 403)
            #expect(try await add("name") == 400)
            #expect(try await add("") == 201)
            let answer = try await network.ask("POST", "/v1/feeds/1/check")
            let check = try WireJSON.decode(WireFeedCheck.self, from: answer.body.utf8)
            #expect(check.feed.problem?.code == .notAllowed)
            #expect(origin.requests.isEmpty)
        }

        @Test func `feeds are changed and removed`() async throws {
            let show = try FeedScene()
            show.serve("1")
            try await show.add("--match", "nothing", "--newest", "5")
            #expect(try await show.added().isEmpty)
            let missing = try await show.scene.run("feed", "set", "other", "--every", "1d")
            #expect(missing.status == .code(ErrorCode.notFound.exitStatus))
            let short = try await show.scene.run("feed", "set", "show", "--every", "1m")
            #expect(short.status == .code(ErrorCode.usage.exitStatus))
            try await show.scene.succeed(
                "feed",
                "set",
                "show",
                "--every",
                "never",
                "--match",
                "EPISODE ?"
            )
            show.serve("2", "1")
            try await show.check()
            // What was seen under the old rules stays as it is.
            #expect(try await show.added() == ["2.mp3"])
            #expect(try await show.feed().nextCheck == nil)
            try await show.scene.succeed("feed", "remove", "sh*")
            #expect(try await show.feeds().isEmpty)
            #expect(try await show.added() == ["2.mp3"])
        }
    }
}
