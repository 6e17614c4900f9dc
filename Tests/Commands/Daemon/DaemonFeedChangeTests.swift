import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Changes of feeds, and the undo of their removal.
    @Suite(.timeLimit(.minutes(5)))
    struct DaemonFeedChangeTests {
        @Test func `a feed gets another folder, label and session for the items to come`()
            async throws
        {
            let show = try FeedScene()
            show.serve("1")
            try await show.add("-d", "first")
            try await show.scene.succeed(
                "feed",
                "set",
                "show",
                "-d",
                "second",
                "--label",
                "talks",
                "--session",
                "mine"
            )
            show.serve("2", "1")
            try await show.check()
            #expect(try await show.feed().label == "talks")
            #expect(try await show.feed().session == "mine")
            try await show.scene.succeed("feed", "set", "show", "--label", "none", "--session", "")
            show.serve("3", "2", "1")
            try await show.check()
            let folder = show.scene.workshop.folder
            let rows = try await show.scene.downloads()
            let folders = ["first", "second", "second"].map { folder.path($0) + "/" }
            #expect(rows.map(\.destination) == folders)
            #expect(rows.map(\.label) == [nil, "talks", nil])
            #expect(rows.map(\.session) == [nil, "mine", nil])
            let feed = try await show.feed()
            #expect(feed.destination == folders[2] && feed.label == nil && feed.session == nil)
        }

        @Test func `a feed that is added with a label uses the folder of the label`() async throws {
            let show = try FeedScene()
            show.serve("1")
            let folder = show.scene.home.path("talks")
            try await show.scene.succeed("label", "set", "talks", "--folder", folder)
            #expect(try await show.add("--label", "talks").status == .code(0))
            #expect(try await show.feed().destination == folder + "/")
            #expect(try await show.scene.downloads().map(\.label) == ["talks"])
            let bad = try await show.scene.run("feed", "set", "show", "--label", "a,b")
            #expect(bad.status == .code(ErrorCode.usage.exitStatus), "\(bad.everything)")
        }

        @Test func `a check during which a feed is changed is reported, and made again`()
            async throws
        {
            let show = try FeedScene()
            show.serve("1")
            try await show.add("-d", "first")
            let latch = Latch()
            let document = show.document(["2", "1"])
            show.origin.route(
                FeedScene.path,
                .status(200, body: document).holdAfterBytes(10, until: latch)
            )
            let count = show.requests.count
            let check = try show.scene.start("feed", "check", "show")
            await show.origin.waitUntil { $0.requests(to: FeedScene.path).count > count }
            try await show.scene.succeed("feed", "set", "show", "-d", "second", "--every", "24h")
            show.serve("2", "1")
            latch.release()
            #expect(await check.waitForExit() == .code(ErrorCode.conflict.exitStatus))
            #expect(check.errors.contains("the feed was changed while it was checked"))
            // The daemon checks it again by itself.
            await show.origin.waitUntil { $0.requests(to: FeedScene.path).count > count + 1 }
            try await show.check()
            let folders = ["first", "second"].map { show.scene.workshop.folder.path($0) + "/" }
            #expect(try await show.scene.downloads().map(\.destination) == folders)
        }

        // MARK: - Undo

        @Test func `a removed feed comes back as it was, and knows its items`() async throws {
            let show = try FeedScene()
            show.serve("2", "1")
            try await show.add("--every", "never", "--match", "Episode", "-H", "X-Key: s3cret")
            let before = try await show.feeds()
            try await show.scene.succeed("feed", "remove", "show")
            #expect(try await show.feeds().isEmpty)
            let run = try await show.scene.succeed("undo")
            #expect(run.output == "1\tfeed restored\tshow\n")
            #expect(try await show.feeds() == before)
            show.serve("3", "2", "1")
            #expect(try await show.check().output.contains("1 download added"))
            #expect(show.requests.last?["X-Key"] == "s3cret")
            #expect(try await show.added() == ["2.mp3", "3.mp3"])
            let again = try await show.scene.run("undo")
            #expect(again.status == .code(ErrorCode.notFound.exitStatus))
        }

        @Test(arguments: [true, false])
        func `a feed that is removed during its check and restored adds each item once`(
            isRestoredDuringCheck: Bool
        ) async throws {
            let show = try FeedScene()
            show.serve("2", "1")
            try await show.add("--every", "never")
            #expect(try await show.added() == ["2.mp3"])
            let latch = Latch()
            let document = show.document(["3", "2", "1"])
            show.origin.route(
                FeedScene.path,
                .status(200, body: document).holdAfterBytes(10, until: latch)
            )
            let check = try show.scene.start("feed", "check", "show")
            await latch.waitForArrivals()
            try await show.scene.succeed("feed", "remove", "show")
            if isRestoredDuringCheck { try await show.scene.succeed("undo") }
            latch.release()
            let end = await check.waitForExit()
            if isRestoredDuringCheck {
                #expect(end == .code(0), "\(check.errors)")
                #expect(check.output.contains("1 download added"), "\(check.output)")
            } else {
                #expect(end == .code(ErrorCode.notFound.exitStatus), "\(check.errors)")
                #expect(try await show.added() == ["2.mp3"])
                try await show.scene.succeed("undo")
            }
            try await show.check()
            #expect(try await show.added() == ["2.mp3", "3.mp3"])
            #expect(try await show.feed().problem == nil)
        }

        @Test func `removals of feeds and downloads are undone one by one, the newest first`()
            async throws
        {
            let show = try FeedScene()
            let scene = show.scene
            show.serve()
            for name in ["a", "b", "c"] {
                try await scene.succeed("feed", "add", show.url, "--name", name)
            }
            try await scene.succeed("add", "--paused", "http://host.example/a")
            try await scene.succeed("feed", "remove", "a")
            try await scene.succeed("remove", "1")
            try await scene.succeed("feed", "remove", "b", "c")
            let steps = [(["c"], 0), (["b", "c"], 0), (["b", "c"], 1), (["a", "b", "c"], 1)]
            for (names, count) in steps {
                try await scene.succeed("undo")
                #expect(try await show.feeds().map(\.name) == names)
                #expect(try await scene.downloads().count == count)
            }
        }

        @Test func `a removal with files leaves a removed feed to be restored`() async throws {
            let show = try FeedScene()
            show.serve()
            try await show.add()
            for name in ["a", "b"] {
                try await show.scene.succeed("add", "--paused", "http://host.example/\(name)")
            }
            try await show.scene.succeed("feed", "remove", "show")
            try await show.scene.succeed("remove", "1")
            try await show.scene.succeed("remove", "--with-files", "2")
            try await show.scene.succeed("undo")
            #expect(try await show.feeds().map(\.name) == ["show"])
            #expect(try await show.scene.run("undo").status != .code(0))
            #expect(try await show.scene.downloads().isEmpty)
        }

        @Test func `a restored feed whose name another feed has got gets a number`() async throws {
            let show = try FeedScene()
            show.serve()
            try await show.add()
            try await show.scene.succeed("feed", "remove", "show")
            try await show.add()
            try await show.scene.succeed("undo")
            #expect(try await show.feeds().map(\.name) == ["show", "show-2"])
        }

        @Test(.needsQueueFile)
        func `the secrets of a removed feed are gone when the daemon has ended`()
            async throws
        {
            let show = try FeedScene()
            show.serve("1")
            try await show.add("-H", "X-Key: s3cret", "--newest", "0")
            try await show.scene.succeed("feed", "remove", "show")
            try await show.scene.succeed("daemon", "stop")
            let home = show.scene.home
            for name in home.list("state/pawl") where name.hasPrefix("queue.sqlite") {
                let bytes = try home.read("state/pawl/\(name)")
                #expect(!String(decoding: bytes, as: UTF8.self).contains("s3cret"), "\(name)")
            }
        }

        // MARK: - Names

        private struct Item {
            var id: String
            var title: String
            var path: String
        }

        private func serve(_ items: [Item], _ show: FeedScene) {
            let texts = items.map { item in
                "<item><guid>\(item.id)</guid><title>\(item.title)</title>"
                    + "<enclosure url=\"\(show.origin.url(item.path))\" type=\"audio/mpeg\"/></item>"
            }
            let body = "<rss><channel>\(texts.joined())</channel></rss>"
            show.origin.route("/*", .resource(Resource(size: 1000)))
            show.origin.route(FeedScene.path, .status(200, body: body))
        }

        @Test func `files are named after titles, and no two get one name`() async throws {
            let show = try FeedScene()
            var items = [
                Item(id: "1", title: "Part 1/2", path: "/a.mp3"),
                Item(id: "2", title: "Part 1/2", path: "/b.mp3"),
                Item(id: "3", title: "The end.", path: "/get.php"),
                Item(id: "4", title: "../../etc/passwd", path: "/c.mp3"),
                Item(id: "5", title: "", path: "/plain.mp3"),
            ]
            serve(items, show)
            // This applies to other files than those of the feed.
            let options = ["-d", "shows", "--if-exists", "overwrite", "--newest", "5"]
            let add =
                ["feed", "add", show.url, "--name", "show", "--file-names", "title"] + options
            let run = try await show.scene.workshop.run(add, show.scene.settings)
            #expect(run.status == .code(0), "\(run.everything)")
            try await show.scene.succeed("wait", "--all")
            let folder = show.scene.workshop.folder
            var names: Set = [
                "Part 1-2.mp3", "Part 1-2.1.mp3", "The end.mp3", "_..-etc-passwd.mp3", "plain.mp3",
            ]
            #expect(Set(folder.list("shows")) == names)
            // A later item does not get the name of an earlier one, whose file may be gone.
            items.insert(Item(id: "6", title: "The end.", path: "/d.mp3"), at: 0)
            serve(items, show)
            #expect(unlink(folder.path("shows/The end.mp3")) == 0)
            try await show.check()
            try await show.scene.succeed("wait", "--all")
            names.remove("The end.mp3")
            names.insert("The end.1.mp3")
            #expect(Set(folder.list("shows")) == names)
            #expect(try await show.feed().rules.fileNames == .title)
            try await show.scene.succeed("feed", "set", "show", "--file-names", "server")
            items.insert(Item(id: "7", title: "Last", path: "/e.mp3"), at: 0)
            serve(items, show)
            try await show.check()
            try await show.scene.succeed("wait", "--all")
            #expect(folder.exists("shows/e.mp3"))
        }

        @Test func `a file named after a title never replaces that of another feed`() async throws {
            let show = try FeedScene()
            let folder = show.scene.workshop.folder
            #expect(mkdir(folder.path("shows"), 0o700) == 0)
            #expect(symlink("shows", folder.path("link")) == 0)
            for (number, path) in ["shows", "link"].enumerated() {
                serve([Item(id: "1", title: "Talk", path: "/\(number).mp3")], show)
                show.origin.route("/\(number).mp3", .resource(Resource(size: Int64(1000 + number))))
                let options = ["--paused", "--every", "never", "--if-exists", "overwrite"]
                let run = try await show.scene.workshop.run(
                    ["feed", "add", show.url, "--file-names", "title", "-d", path] + options,
                    show.scene.settings
                )
                #expect(run.status == .code(0), "\(run.everything)")
            }
            let rows = try await show.scene.downloads()
            let paths = ["shows/Talk.mp3", "link/Talk.mp3"].map { folder.path($0) }
            #expect(rows.map(\.destination) == paths)
            for row in rows {
                try await show.scene.succeed("resume", "\(row.id)")
                try await show.scene.succeed("wait", "\(row.id)")
            }
            #expect(Set(folder.list("shows")) == ["Talk.mp3", "Talk.1.mp3"])
            #expect(try folder.read("shows/Talk.mp3").count == 1000)
        }
    }
}
