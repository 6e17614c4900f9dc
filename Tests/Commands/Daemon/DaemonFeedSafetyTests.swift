import FoundationEssentials
import Glibc
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// What a feed, or a program that adds one, cannot do.
    @Suite(.timeLimit(.minutes(5)))
    struct DaemonFeedSafetyTests {
        /// A daemon that is used over TCP, and a feed on the origin of its workshop.
        private func makeAccess() async throws -> AccessScene {
            let access = try await AccessScene.make()
            let scene = access.network.scene
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            serve(["1"], access)
            return access
        }

        private func serve(_ ids: [String], _ access: AccessScene) {
            let origin = access.network.scene.workshop.origin
            let items = ids.map {
                "<item><guid>\($0)</guid><enclosure url=\"\(origin.url("/\($0).mp3"))\"/></item>"
            }
            origin.route(
                "/feed.xml",
                .status(200, body: "<rss><channel>\(items.joined())</channel></rss>")
            )
        }

        private func add(
            _ authority: Authority,
            _ access: AccessScene,
            _ more: String = ""
        ) async throws -> WireFeed {
            let scene = access.network.scene
            let url = scene.workshop.origin.url("/feed.xml")
            let body = #"""
                {"rules":{"everySeconds":0},"download":{"url":"\#(url)","isPaused":true,
                "destination":"\#(scene.home.path("Downloads"))/"\#(more)}}
                """#
            let answer = try await access.ask(authority, "POST", APIPath.feeds, body)
            #expect(answer.status == 201, "\(answer.body)")
            return try WireJSON.decode(WireFeed.self, from: answer.body.utf8)
        }

        private func register(
            _ session: String,
            _ authority: Authority,
            _ access: AccessScene
        ) async throws {
            let body = #"{"identifier":"\#(session)"}"#
            let answer = try await access.ask(authority, "POST", "/v1/sessions", body)
            #expect(answer.status == 200, "\(answer.body)")
        }

        private func check(_ feed: WireFeed, _ access: AccessScene) async throws -> [WireDownload] {
            let path = APIPath.feedCheck(feed.id)
            let answer = try await access.ask(.user, "POST", path)
            let check = try WireJSON.decode(WireFeedCheck.self, from: answer.body.utf8)
            #expect(check.feed.problem == nil, "\(answer.body)")
            return try await access.network.scene.downloads()
        }

        @Test func `a feed does not follow the name of its session to another program`()
            async throws
        {
            let access = try await makeAccess()
            try await register("app", AccessScene.main, access)
            let feed = try await add(AccessScene.main, access, #","session":"app""#)
            #expect(try await check(feed, access).map(\.session) == ["app"])
            let path = "/v1/sessions?session=app"
            #expect(try await access.ask(AccessScene.main, "DELETE", path).status == 204)
            try await register("app", .user, access)
            serve(["2", "1"], access)
            #expect(try await check(feed, access).map(\.session) == [nil, nil])
        }

        @Test func `a program does not lead the feed of another one's session to its server`()
            async throws
        {
            let access = try await makeAccess()
            try await register("app", .user, access)
            let feed = try await add(.user, access, #","session":"app""#)
            let origin = access.network.scene.workshop.origin
            let body = #"{"url":"\#(origin.url("/feed.xml?other"))"}"#
            let path = APIPath.feed(feed.id)
            #expect(try await access.ask(AccessScene.main, "PATCH", path, body).status == 403)
            #expect(try await access.ask(.user, "PATCH", path, body).status == 200)
            // Without a session, the feed counts as added by the program from then on.
            let other = try await add(.user, access)
            let changed = try await access.ask(
                AccessScene.main,
                "PATCH",
                APIPath.feed(other.id),
                body
            )
            #expect(changed.status == 200, "\(changed.body)")
            let rows = try await check(other, access)
            #expect(rows.map(\.owner) == [.unnamedProgram])
        }

        @Test func `a feed through a proxy does not lead to private hosts`() async throws {
            let show = try FeedScene()
            // The origin plays the proxy, which gets whole URLs.
            let file = Resource(size: 1000)
            let names = [
                "http://192.168.7.7/a.mp3", "http://127.1/b.mp3", "http://router/c.mp3",
                "http://files.example/d.mp3",
            ]
            let items = names.map { "<item><enclosure url=\"\($0)\"/></item>" }
            let url = "http://feeds.example/feed.xml"
            show.origin.route(
                url,
                .status(200, body: "<rss><channel>\(items.joined())</channel></rss>")
            )
            for name in names { show.origin.route(name, .resource(file)) }
            let proxy = show.origin.url("")
            try await show.scene.succeed(
                "feed",
                "add",
                url,
                "--newest",
                "9",
                "--proxy",
                proxy,
                "-d",
                "shows"
            )
            _ = try await show.scene.run("wait", "--all")
            #expect(show.origin.requests(to: url).count > 0)
            for name in names.dropLast() {
                #expect(show.origin.requests(to: name).isEmpty, "\(name)")
            }
            let rows = try await show.scene.downloads()
            #expect(rows.filter { $0.state == .finished }.map(\.name) == ["d.mp3"])
            let refused = rows.filter { $0.problem?.code == .notAllowed }
            #expect(refused.count == 3, "\(rows)")
            #expect(try show.scene.workshop.folder.read("shows/d.mp3") == file.bytes())
        }

        @Test func `many new items at once are limited, and reported`() async throws {
            let show = try FeedScene()
            show.serve("0")
            try await show.add()
            let ids = (0...250).map { "\($0)" }
            show.origin.route(FeedScene.path, .status(200, body: show.document(ids.reversed())))
            let check = try await show.check()
            #expect(check.everything.contains("250 new items"), "\(check.everything)")
            #expect(check.output.contains("100 downloads added"))
            let expected = ["0"] + ids.suffix(100)
            #expect(try await show.added() == expected.map { "\($0).mp3" })
            let feed = try await show.feed()
            #expect(feed.added == 101 && feed.failures == nil)
            #expect(try await show.check().output.contains("nothing new"))
            #expect(try await show.feed().problem == nil)
        }

        /// Replaces a text in the database of a daemon that does not run.
        private func replace(
            _ old: String,
            _ new: String,
            in scene: DaemonScene
        ) throws {
            let name = "state/pawl/queue.sqlite"
            var bytes = try scene.home.read(name)
            let (wanted, new) = (Array(old.utf8), Array(new.utf8))
            let offsets = (0..<bytes.count - wanted.count).filter {
                bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted)
            }
            #expect(!offsets.isEmpty)
            for offset in offsets { bytes.replaceSubrange(offset..<offset + new.count, with: new) }
            try scene.home.write(name, bytes)
        }

        @Test(.needsQueueFile)
        func `feeds that cannot be decoded are listed and removed, and hold up no other`()
            async throws
        {
            let show = try FeedScene()
            let scene = show.scene
            show.serve("1")
            let first = try await scene.startDaemon()
            for name in ["a", "b"] {
                show.serve("1", at: "/broken-\(name)")
                let url = show.origin.url("/broken-\(name)")
                try await scene.succeed("feed", "add", url, "--name", name, "--paused")
            }
            try await show.add()
            first.signal(SIGTERM)
            await first.waitForExit()
            // A newer version may have written such a request.
            let url = #""url":"\#(show.origin.url("/broken-"))"#
            try replace(url, #""uri""#, in: scene)
            let daemon = try await scene.startDaemon()
            #expect(await daemon.waitForOutput(containing: "feed 2 cannot be read"))
            let feeds = try await show.feeds()
            #expect(feeds.map(\.name) == ["a", "b", "show"])
            #expect(feeds.map(\.problem?.code) == [.settingsLost, .settingsLost, nil])
            show.serve("2", "1")
            #expect(try await show.check().output.contains("1 download added"))
            try await scene.succeed("feed", "remove", "a", "b")
            #expect(try await show.feeds().map(\.name) == ["show"])
            try await scene.succeed("undo")
            #expect(try await show.feeds().map(\.name) == ["b", "show"])
        }

        @Test func `a program leads a feed neither out of the allowed folders nor into a session`()
            async throws
        {
            let access = try await makeAccess()
            let scene = access.network.scene
            let main = AccessScene.main
            let feed = try await add(.user, access)
            func change(_ authority: Authority, _ member: String, of feed: WireFeed) async throws
                -> Int
            {
                try await access.ask(authority, "PATCH", APIPath.feed(feed.id), "{\(member)}")
                    .status
            }
            let outside = #""destination":"\#(scene.workshop.folder.path)/""#
            let inside = #""destination":"\#(scene.home.path("Downloads/shows"))/""#
            #expect(try await change(main, outside, of: feed) == 403)
            // From then on, the feed is confined.
            #expect(try await change(main, inside, of: feed) == 200)
            #expect(try await change(.user, outside, of: feed) == 403)
            #expect(try await change(.user, inside, of: feed) == 200)
            #expect(try await check(feed, access).map(\.owner) == [.user])
            // A feed that is outside stays where it is.
            let other = try await add(.user, access)
            #expect(try await change(.user, outside, of: other) == 200)
            #expect(try await change(main, inside, of: other) == 403)
            let own = try await add(main, access)
            try await register("app", .user, access)
            let session = #""session":"app""#
            #expect(try await change(main, session, of: feed) == 403)
            #expect(try await change(main, session, of: own) == 403)
            // Its checks could not add to the session either.
            #expect(try await change(.user, session, of: own) == 403)
            #expect(try await change(.user, session, of: feed) == 200)
        }

        @Test func `a program undoes its own removal of a feed only`() async throws {
            let access = try await makeAccess()
            let first = try await add(.user, access)
            let second = try await add(.user, access)
            func undo() async throws -> [WireFeed]? {
                let answer = try await access.ask(AccessScene.main, "POST", APIPath.undo)
                #expect(answer.status == 200, "\(answer.body)")
                return try WireJSON.decode(WireOutcome.self, from: answer.body.utf8).feeds
            }
            let main = AccessScene.main
            for (authority, feed) in [(Authority.user, first), (main, second)] {
                let answer = try await access.ask(authority, "DELETE", APIPath.feed(feed.id))
                #expect(answer.status == 204, "\(answer.body)")
            }
            #expect(try await undo()?.map(\.id) == [second.id])
            #expect(try await undo() == nil)
        }

        @Test func `a feed that moves to another server adds only its newest item`() async throws {
            let show = try FeedScene()
            show.serve("2", "1")
            try await show.add()
            let other = try FeedScene()
            other.serve("e", "d", "c")
            let body = #"{"url":"\#(other.url)"}"#
            let socket = show.scene.home.path("run/pawl/daemon.sock")
            let arguments = [
                "-s", "--unix-socket", socket, "-X", "PATCH", "http://localhost/v1/feeds/1", "-H",
                "Content-Type: application/json", "--data-binary", body,
            ]
            let changed = try await ProcessRunner.run("curl", arguments)
            let feed = try WireJSON.decode(WireFeed.self, from: changed.output.utf8)
            #expect(feed.url == other.url)
            try await show.check()
            #expect(try await show.added() == ["2.mp3", "e.mp3"])
        }

        @Test func `items that cannot be downloaded make one line of the log`() async throws {
            let show = try FeedScene()
            let daemon = try await show.scene.startDaemon()
            let items = (0..<30).map {
                "<item><enclosure url=\"file:///etc/passwd?\($0)\"/></item>"
            }
            show.origin.route(
                FeedScene.path,
                .status(200, body: "<rss><channel>\(items.joined())</channel></rss>")
            )
            try await show.add("--newest", "30")
            #expect(await daemon.waitForOutput(containing: "items left out: 30"))
            let log = daemon.output + daemon.errors
            #expect(log.split(separator: "\n").count { $0.contains("passwd") } <= 1, "\(log)")
        }

        @Test func `a label supplies the folder and the priority of a feed`() async throws {
            let access = try await makeAccess()
            let scene = access.network.scene
            let folder = scene.home.path("Downloads/talks")
            try await scene.succeed(
                "label",
                "set",
                "talks",
                "--folder",
                folder,
                "--priority",
                "high"
            )
            let url = scene.workshop.origin.url("/feed.xml")
            let body = #"""
                {"rules":{"everySeconds":0},
                "download":{"url":"\#(url)","destination":"","label":"talks","isPaused":true}}
                """#
            let answer = try await access.ask(.user, "POST", APIPath.feeds, body)
            #expect(answer.status == 201, "\(answer.body)")
            let feed = try WireJSON.decode(WireFeed.self, from: answer.body.utf8)
            #expect(feed.destination == folder + "/")
            #expect(try await check(feed, access).map(\.priority) == [.high])
        }

        @Test func `a repeated request with the same key adds a feed once`() async throws {
            let network = try await makeAccess().network
            let url = network.scene.workshop.origin.url("/feed.xml")
            func add(_ url: String) async throws -> NetworkScene.Answer {
                let body = #"{"download":{"url":"\#(url)","destination":""}}"#
                let fields = ["Idempotency-Key: k", "Authorization: Bearer \(network.token)"]
                return try await network.ask("POST", APIPath.feeds, body, fields: fields)
            }
            let first = try await add(url)
            #expect(first.status == 201, "\(first.body)")
            let again = try await add(url)
            #expect(again.status == 201, "\(again.body)")
            let ids = try [first, again].map {
                try WireJSON.decode(WireFeed.self, from: $0.body.utf8).id
            }
            #expect(ids[0] == ids[1])
            #expect(try await add(url + "?other").status == 409)
            let list = try await network.ask("GET", APIPath.feeds)
            let feeds = try WireJSON.decode(WireFeeds.self, from: list.body.utf8).feeds
            #expect(feeds.count == 1)
        }
    }
}
