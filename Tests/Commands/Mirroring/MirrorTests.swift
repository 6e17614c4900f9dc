import Foundation
import Glibc
import PawlCore
import PawlTesting
import Testing

/// `pawl mirror` of indexes over HTTP.
@Suite(.timeLimit(.minutes(5)))
struct MirrorTests {
    /// A page with links.
    private static func page(_ links: String...) -> Reply {
        let body = links.map { "<a href=\"\($0)\">\($0)</a>\n" }.joined()
        return .status(200, fields: [("Content-Type", "text/html; charset=utf-8")], body: body)
    }

    /// A server with a small tree.
    private func workshop() throws -> Workshop {
        let workshop = try Workshop()
        let origin = workshop.origin
        origin.route("/tree/", Self.page("../", "?C=N;O=D", "a.txt", "sub/", "big.bin", "/other/x"))
        origin.route("/tree/sub/", Self.page("../", "b.txt", "c%20d.txt", "deep/"))
        origin.route("/tree/sub/deep/", Self.page("e.txt"))
        for name in ["a.txt", "sub/b.txt", "sub/c%20d.txt", "sub/deep/e.txt"] {
            origin.route("/tree/\(name)", .resource(Resource(text: name)))
        }
        origin.route("/tree/big.bin", .resource(big))
        return workshop
    }

    private let big = Resource(size: 3_000_000)
    private let all = ["a.txt", "big.bin", "sub/b.txt", "sub/c d.txt", "sub/deep/e.txt"]

    private func files(_ workshop: Workshop) -> [String] {
        FolderTree.entries(below: workshop.folder.path("out")).filter {
            !$0.hasSuffix("/") && $0 != ".pawl-mirror"
        }
    }

    private func url(_ workshop: Workshop, _ path: String = "/tree/") -> String {
        workshop.origin.url(path)
    }

    @Test func `a tree is fetched once, and later only what has changed`() async throws {
        let workshop = try workshop()
        let first = try await workshop.run("mirror", url(workshop), "out")
        #expect(first.status == .code(0), "\(first.errors)")
        #expect(files(workshop) == all)
        #expect(try workshop.folder.read("out/big.bin") == big.bytes())
        #expect(try workshop.folder.readText("out/sub/c d.txt") == "sub/c%20d.txt")
        #expect(Set(first.output.split(separator: "\n")) == Set(all.map { "out/\($0)" }))
        #expect(first.errors.contains("5 files: 5 new"), "\(first.errors)")
        #expect(workshop.origin.requests(to: "/other/x").isEmpty)

        let before = workshop.origin.requests.count
        let second = try await workshop.run("mirror", url(workshop), "out")
        #expect(second.errors.contains("5 files: 5 unchanged"), "\(second.errors)")
        #expect(second.output.isEmpty)
        // The robots.txt, three folders, and one conditional request for each file.
        let requests = workshop.origin.requests.dropFirst(before)
        #expect(requests.count == 1 + 3 + 5)
        #expect(requests.filter { $0.method == "HEAD" }.count == 5)

        workshop.origin.route("/tree/sub/b.txt", .resource(Resource(text: "new")))
        let third = try await workshop.run("mirror", url(workshop), "out")
        #expect(third.errors.contains("5 files: 1 changed, 4 unchanged"), "\(third.errors)")
        #expect(try workshop.folder.readText("out/sub/b.txt") == "new")
        #expect(third.output == "out/sub/b.txt\n")
    }

    @Test func `an index whose sizes and times agree costs no request`() async throws {
        let server = try await NginxServer("autoindex on;")
        let workshop = try Workshop()
        for folder in ["tree", "tree/sub"] { try server.makeFolder(folder) }
        for name in ["x.iso", "sub/y.iso"] {
            try server.put("tree/\(name)", Array(name.utf8))
            let path = server.path("tree/\(name)")
            var times = [
                timeval(tv_sec: 1_700_000_000, tv_usec: 0),
                timeval(tv_sec: 1_700_000_000, tv_usec: 0),
            ]
            #expect(utimes(path, &times) == 0)
        }
        try server.put("tree/new.iso", [1])
        let mirror = ["mirror", server.url("tree/"), "out", "--cacert", server.authority]
        for expected in ["3 new", "3 unchanged", "3 unchanged"] {
            let run = try await workshop.run(mirror, ProcessSettings())
            #expect(run.errors.contains("3 files: \(expected)"), "\(run.errors)")
        }
        let attributes = try FileManager.default.attributesOfItem(
            atPath: workshop.folder.path("out/x.iso")
        )
        #expect((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 == 1_700_000_000)
        let paths = try await server.close().map(\.path)
        #expect(paths.filter { $0 == "/tree/x.iso" }.count == 1)
        #expect(paths.filter { $0 == "/tree/sub/y.iso" }.count == 1)
        // It was changed shortly before it was fetched.
        #expect(paths.filter { $0 == "/tree/new.iso" }.count == 3)
    }

    @Test(arguments: [
        (["--include", "*.txt"], ["a.txt", "sub/b.txt", "sub/c d.txt", "sub/deep/e.txt"]),
        (["--exclude", "sub/"], ["a.txt", "big.bin"]),
        (["--exclude", "*.txt", "--exclude", "deep/"], ["big.bin"]),
        (["--depth", "1"], ["a.txt", "big.bin"]),
        (["--depth", "2"], ["a.txt", "big.bin", "sub/b.txt", "sub/c d.txt"]),
    ])
    func `only what is wanted`(options: [String], expected: [String]) async throws {
        let workshop = try workshop()
        let run = try await workshop.run(
            ["mirror", url(workshop), "out"] + options,
            ProcessSettings()
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(files(workshop) == expected)
        let deep = workshop.origin.requests(to: "/tree/sub/deep/")
        #expect(deep.isEmpty == !expected.contains("sub/deep/e.txt"))
    }

    // MARK: - Deleting

    @Test func `files that are gone are deleted only on request, and only the mirror's own`()
        async throws
    {
        let workshop = try workshop()
        _ = try await workshop.run("mirror", url(workshop), "out")
        try workshop.folder.write("out/mine.txt", "mine")
        try workshop.folder.write("out/sub/deep/e.txt", "edited")
        workshop.origin.route("/tree/", Self.page("a.txt"))
        let kept = try await workshop.run("mirror", url(workshop), "out")
        #expect(
            kept.errors.contains("3 files are no longer on the server; see --delete"),
            "\(kept.errors)"
        )
        let shown = try await workshop.run("mirror", url(workshop), "out", "--delete")
        #expect(shown.errors.contains("\n  sub/b.txt\n"), "\(shown.errors)")
        #expect(shown.errors.contains("Nothing was deleted"), "\(shown.errors)")
        #expect(files(workshop) == (all + ["mine.txt"]).sorted())
        // A part of the tree tells nothing about the rest.
        let part = try await workshop.run(
            "mirror",
            url(workshop),
            "out",
            "--include",
            "a*",
            "--delete",
            "--yes"
        )
        #expect(part.status == .code(0))
        #expect(files(workshop).count == 6)
        let deleted = try await workshop.run("mirror", url(workshop), "out", "--delete", "--yes")
        #expect(deleted.status == .code(0), "\(deleted.errors)")
        #expect(deleted.errors.contains("3 files deleted"), "\(deleted.errors)")
        #expect(files(workshop) == ["a.txt", "mine.txt", "sub/deep/e.txt"])
    }

    @Test func `nothing is deleted if a folder cannot be listed, or the list is empty`()
        async throws
    {
        let workshop = try workshop()
        _ = try await workshop.run("mirror", url(workshop), "out")
        workshop.origin.route("/tree/sub/", .status(404))
        let failed = try await workshop.run("mirror", url(workshop), "out", "--delete", "--yes")
        expectError(.notFound, failed)
        #expect(failed.errors.contains("sub/"), "\(failed.errors)")
        #expect(files(workshop) == all)
        workshop.origin.route("/tree/", Self.page())
        let empty = try await workshop.run("mirror", url(workshop), "out", "--delete", "--yes")
        expectError(.badResponse, empty)
        #expect(files(workshop) == all)
    }

    @Test func `nothing is deleted if the root is redirected, or its list is cut off`() async throws
    {
        let workshop = try workshop()
        let mirror = ["mirror", url(workshop), "out"]
        _ = try await workshop.run(mirror, ProcessSettings())
        workshop.serve(.redirect(to: "/login/"), at: "/tree/")
        workshop.serve(Self.page("welcome.html"), at: "/login/")
        workshop.serve(.resource(Resource(text: "hello")), at: "/login/welcome.html")
        let page = [("Content-Type", "text/html")]
        for reply in [
            .redirect(to: "/login/"),
            .status(200, fields: page, body: "<a href='a.txt'>a</a><!-- "),
            .status(200, fields: page, body: "<a href='a.txt'>a</a><a href='sub"),
            Self.page("welcome.html"),
        ] as [Reply] {
            workshop.serve(reply, at: "/tree/")
            let run = try await workshop.run(mirror + ["--delete", "--yes"], ProcessSettings())
            #expect(run.status != .code(0), "\(run.errors)")
            #expect(Set(files(workshop)).isSuperset(of: all), "\(run.errors)")
        }
    }

    @Test func `a file that another URL had before is fetched, whatever its size and time`()
        async throws
    {
        let workshop = try Workshop()
        let sources = try ScratchFolder()
        for name in ["a", "b"] {
            var resource = Resource(text: name)
            resource.entityTag = "\"same\""
            workshop.serve(.resource(resource), at: "/\(name)/file.txt")
        }
        for name in ["a", "b", "a"] {
            let list = workshop.origin.url("/\(name)/file.txt")
            let path = try sources.write("list.txt", "\(list)\n  output=file.txt\n")
            let run = try await workshop.run("mirror", "-i", path, "out")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(try workshop.folder.readText("out/file.txt") == name)
        }
    }

    // MARK: - Files of others

    @Test func `a file of somebody else is not replaced unless that is wanted`() async throws {
        let workshop = try workshop()
        try workshop.folder.makeFolder("out")
        try workshop.folder.write("out/a.txt", "mine")
        let refused = try await workshop.run("mirror", url(workshop), "out")
        expectError(.fileExists, refused)
        #expect(refused.errors.contains("a.txt"), "\(refused.errors)")
        #expect(files(workshop) == all)
        #expect(try workshop.folder.readText("out/a.txt") == "mine")
        let skipped = try await workshop.run("mirror", url(workshop), "out", "--if-exists", "skip")
        #expect(skipped.status == .code(0), "\(skipped.errors)")
        #expect(try workshop.folder.readText("out/a.txt") == "mine")
        let replaced = try await workshop.run(
            "mirror",
            url(workshop),
            "out",
            "--if-exists",
            "overwrite"
        )
        #expect(replaced.status == .code(0), "\(replaced.errors)")
        #expect(try workshop.folder.readText("out/a.txt") == "a.txt")
    }

    @Test func `without its state, a mirror finds its files again`() async throws {
        let workshop = try workshop()
        _ = try await workshop.run("mirror", url(workshop), "out")
        let state = try workshop.folder.readText("out/.pawl-mirror")
        for damaged in [nil, "", "nonsense\n", String(state.dropLast(7)), "\u{0}\u{0}\u{0}"] {
            if let damaged {
                try workshop.folder.write("out/.pawl-mirror", damaged)
            } else {
                unlink(workshop.folder.path("out/.pawl-mirror"))
            }
            let run = try await workshop.run("mirror", url(workshop), "out")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(run.errors.contains("5 files: 5 unchanged"), "\(run.errors)")
        }
        #expect(try workshop.folder.readText("out/.pawl-mirror").split(separator: "\n").count >= 6)
    }

    @Test func `one mirror at a time, and of one tree, in a folder`() async throws {
        let workshop = try workshop()
        let latch = Latch()
        workshop.origin.route(
            "/tree/sub/deep/e.txt",
            Reply.resource(big).holdAfterBytes(1000, until: latch)
        )
        let runner = try workshop.start("mirror", url(workshop), "out")
        await latch.waitForArrivals()
        expectError(.alreadyRunning, try await workshop.run("mirror", url(workshop), "out"))
        latch.release()
        await runner.waitForExit()
        #expect(runner.status == .code(0))
        let other = try await workshop.run("mirror", url(workshop, "/tree/sub/"), "out")
        expectError(.usage, other)
        #expect(other.errors.contains("is a mirror of \(url(workshop))"), "\(other.errors)")
    }

    @Test func `an interrupted or killed run is continued`() async throws {
        for signal in [SIGINT, SIGKILL] {
            let workshop = try workshop()
            let latch = Latch()
            workshop.origin.route(
                "/tree/big.bin",
                Reply.resource(big).holdAfterBytes(1_000_000, until: latch)
            )
            let runner = try workshop.start("mirror", url(workshop), "out", "-x", "1")
            await latch.waitForArrivals()
            runner.signal(signal)
            await runner.waitForExit()
            latch.release()
            #expect(
                runner.status
                    == (signal == SIGKILL
                        ? .signal(SIGKILL) : .code(ErrorCode.interrupted.exitStatus))
            )
            workshop.origin.route("/tree/big.bin", .resource(big))
            let run = try await workshop.run("mirror", url(workshop), "out")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(run.errors.contains("5 files: "), "\(run.errors)")
            #expect(try workshop.folder.read("out/big.bin") == big.bytes())
            #expect(files(workshop) == all)
        }
    }

    @Test func `an edit during a request to the server is kept`() async throws {
        let workshop = try workshop()
        let mirror = ["mirror", url(workshop), "out"]
        _ = try await workshop.run(mirror, ProcessSettings())
        let folder = workshop.folder
        workshop.serve(
            .each { exchange in
                if exchange.request.method == "HEAD" {
                    folder.replaceWithOwn("out/a.txt")
                }
                return .resource(Resource(text: "another version"))
            },
            at: "/tree/a.txt"
        )
        let run = try await workshop.run(mirror, ProcessSettings())
        #expect(run.status != .code(0))
        #expect(try workshop.folder.readText("out/a.txt") == "mine")
        let later = try await workshop.run(mirror, ProcessSettings())
        expectError(.fileExists, later)
        #expect(try workshop.folder.readText("out/a.txt") == "mine")
    }

    @Test func `a file that appears while the mirror's own is fetched again is kept`() async throws
    {
        let workshop = try workshop()
        let mirror = ["mirror", url(workshop), "out"]
        _ = try await workshop.run(mirror, ProcessSettings())
        let folder = workshop.folder
        unlink(folder.path("out/a.txt"))
        workshop.serve(
            .each { _ in
                folder.replaceWithOwn("out/a.txt")
                return .resource(Resource(text: "the server's"))
            },
            at: "/tree/a.txt"
        )
        let run = try await workshop.run(mirror, ProcessSettings())
        expectError(.fileExists, run)
        #expect(try workshop.folder.readText("out/a.txt") == "mine")
    }

    @Test func `a folder is listed once, and a depth counts names`() async throws {
        let workshop = try Workshop()
        workshop.serve(.status(404), at: "/robots.txt")
        workshop.serve(Self.page("a/", "a/b/", "a/b/c/", "a/b/x"), at: "/tree/")
        workshop.serve(Self.page("b/", "b/c/"), at: "/tree/a/")
        workshop.serve(Self.page("c/", "x"), at: "/tree/a/b/")
        workshop.serve(Self.page("y"), at: "/tree/a/b/c/")
        workshop.serve(.resource(Resource(text: "x")), at: "/tree/a/b/x")
        workshop.serve(.resource(Resource(text: "y")), at: "/tree/a/b/c/y")
        let flat = try await workshop.run("mirror", url(workshop), "flat", "--depth", "2")
        #expect(flat.status == .code(0), "\(flat.errors)")
        #expect(FolderTree.entries(below: workshop.folder.path("flat")).isEmpty)
        let before = workshop.origin.requests.count
        let run = try await workshop.run("mirror", url(workshop), "out")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(files(workshop) == ["a/b/c/y", "a/b/x"])
        #expect(workshop.origin.requests.count - before == 1 + 4 + 2)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `the state of another user decides nothing`() async throws {
        let workshop = try workshop()
        let mirror = ["mirror", url(workshop), "out", "--delete", "--yes"]
        _ = try await workshop.run(mirror, ProcessSettings())
        try #require(chown(workshop.folder.path("out/.pawl-mirror"), 65_534, 65_534) == 0)
        workshop.serve(Self.page("sub/"), at: "/tree/")
        let run = try await workshop.run(mirror, ProcessSettings())
        expectError(.notAllowed, run)
        #expect(files(workshop) == all)
    }

    @Test func `the state and messages contain no secret of a list's URL`() async throws {
        let workshop = try workshop()
        let list = workshop.origin.url("/list")
        workshop.serve(.resource(Resource(text: workshop.origin.url("/tree/a.txt"))), at: "/list")
        let secret = list.replacing("http://", with: "http://me:hunter2@") + "?token=s3cret"
        let run = try await workshop.run("mirror", "-i", secret, "out")
        #expect(run.status == .code(0), "\(run.errors)")
        let state = try workshop.folder.readText("out/.pawl-mirror")
        #expect(!(state + run.errors).contains("hunter2") && !state.contains("s3cret"), "\(state)")
        let renewed = try await workshop.run("mirror", "-i", list + "?token=other", "out")
        #expect(renewed.status == .code(0), "\(renewed.errors)")
        let other = try await workshop.run("mirror", url(workshop), "out")
        expectError(.usage, other)
        #expect(!other.errors.contains("hunter2") && !other.errors.contains("s3cret"))
    }

    // MARK: - Hostile servers

    @Test func `robots.txt is obeyed`() async throws {
        let workshop = try workshop()
        workshop.serve(
            .status(200, body: "User-agent: *\nDisallow: /tree/sub/deep\nDisallow: *.bin$\n"),
            at: "/robots.txt"
        )
        let run = try await workshop.run("mirror", url(workshop), "out")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.errors.contains("2 paths left out because of robots.txt"), "\(run.errors)")
        #expect(files(workshop) == ["a.txt", "sub/b.txt", "sub/c d.txt"])
        workshop.serve(.status(200, body: "User-agent: *\nDisallow: /\n"), at: "/robots.txt")
        let refused = try await workshop.run("mirror", url(workshop), "out")
        expectError(.notAllowed, refused)
        #expect(refused.errors.contains("--no-robots"), "\(refused.errors)")
        let forced = try await workshop.run("mirror", url(workshop), "out", "--no-robots")
        #expect(forced.status == .code(0), "\(forced.errors)")
        #expect(files(workshop) == all)
        // Too many requests at the moment do not mean that everything is allowed.
        for status in [503, 429] {
            workshop.serve(.status(status), at: "/robots.txt")
            let busy = try await workshop.run("mirror", url(workshop), "out", "--retries", "0")
            expectError(.serverBusy, busy)
            #expect(busy.errors.contains("(HTTP \(status))"), "\(busy.errors)")
        }
        for status in [403, 410] {
            workshop.serve(.status(status), at: "/robots.txt")
            let without = try await workshop.run("mirror", url(workshop), "out")
            #expect(without.status == .code(0), "\(without.errors)")
        }
    }

    @Test func `links out of the folder write nothing outside`() async throws {
        let workshop = try Workshop()
        workshop.origin.routeDefault(.resource(Resource(text: "x")))
        workshop.serve(.status(404), at: "/robots.txt")
        workshop.serve(
            Self.page(
                "../up",
                "%2e%2e/up",
                "..%2fup",
                "/etc/x",
                ".bashrc",
                ".pawl-mirror",
                "a%00b",
                "-rf",
                "ok/../../up",
                "https://other.example/x"
            ),
            at: "/tree/"
        )
        let run = try await workshop.run("mirror", url(workshop), "out")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(files(workshop) == ["_rf", "bashrc", "pawl-mirror"])
        #expect(workshop.folder.list() == ["out"])
    }

    @Test func `a loop of folders ends, and a page that redirects elsewhere is left out`()
        async throws
    {
        let workshop = try Workshop()
        workshop.origin.routeDefault(Self.page("x/", "y/"))
        workshop.serve(.status(404), at: "/robots.txt")
        let circle = try await workshop.run("mirror", url(workshop), "out")
        expectError(.badResponse, circle)
        #expect(circle.errors.contains("seems to contain itself"), "\(circle.errors)")
        #expect(workshop.origin.requests.count < 50)
        workshop.serve(Self.page("a/", "b.txt"), at: "/tree/")
        workshop.serve(.redirect(to: "/elsewhere/"), at: "/tree/a/")
        workshop.serve(.resource(Resource(text: "b")), at: "/tree/b.txt")
        let left = try await workshop.run("mirror", url(workshop), "out")
        expectError(.redirectRefused, left)
        #expect(files(workshop) == ["b.txt"])
    }

    @Test func `the URL may be redirected, or lack its slash`() async throws {
        let workshop = try workshop()
        workshop.serve(.redirect(to: "/tree/"), at: "/tree")
        let run = try await workshop.run("mirror", url(workshop, "/tree"), "out")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(files(workshop) == all)
    }

    @Test(arguments: [
        (["mirror"], ErrorCode.usage), (["mirror", "https://host/"], .usage),
        (["mirror", "out", "https://host/"], .usage), (["mirror", "file:///etc/", "out"], .usage),
        (["mirror", "https://host/", "out", "--depth", "0"], .usage),
        (["mirror", "https://host/", "out", "--yes"], .usage),
        (["mirror", "https://host/", "out", "--exclude", "/"], .usage),
        (["mirror", "https://host/", "out", "--if-exists", "rename"], .usage),
    ])
    func `wrong arguments`(arguments: [String], code: ErrorCode) async throws {
        let workshop = try Workshop()
        expectError(code, try await workshop.run(arguments, ProcessSettings()))
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `a link to a folder may lack its slash`() async throws {
        let workshop = try Workshop()
        let origin = workshop.origin
        origin.route("/tree/", Self.page("a.txt", "sub", "both", "both/"))
        for folder in ["/tree/sub", "/tree/sub/deep", "/tree/both"] {
            origin.route(folder, .redirect(to: folder + "/", status: 301))
        }
        origin.route("/tree/sub/", Self.page("b.txt", "deep"))
        origin.route("/tree/sub/deep/", Self.page("c.txt"))
        origin.route("/tree/both/", Self.page("d.txt"))
        let all = ["a.txt", "both/d.txt", "sub/b.txt", "sub/deep/c.txt"]
        for name in all { origin.route("/tree/\(name)", .resource(Resource(text: name))) }
        for expected in ["4 new", "4 unchanged"] {
            let run = try await workshop.run("mirror", url(workshop), "out")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(run.errors.contains("4 files: \(expected)"), "\(run.errors)")
            #expect(files(workshop) == all)
        }
        let shallow = try await workshop.run("mirror", url(workshop), "shallow", "--depth", "2")
        #expect(shallow.errors.contains("3 files: 3 new"), "\(shallow.errors)")
    }

    @Test func `a file and a folder of one name are both fetched`() async throws {
        let workshop = try Workshop()
        let origin = workshop.origin
        origin.route("/tree/", Self.page("both", "both/"))
        origin.route("/tree/both/", Self.page("d.txt"))
        origin.route("/tree/both", .resource(Resource(text: "file")))
        origin.route("/tree/both/d.txt", .resource(Resource(text: "d")))
        for expected in ["2 new", "2 unchanged"] {
            let run = try await workshop.run("mirror", url(workshop), "out")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(run.errors.contains("2 files: \(expected)"), "\(run.errors)")
            #expect(files(workshop).sorted() == ["both.1", "both/d.txt"])
        }
    }

    @Test func `a URL of a file is not a tree`() async throws {
        let workshop = try Workshop(big)
        let run = try await workshop.run("mirror", workshop.url, "out")
        expectError(.badResponse, run)
        #expect(run.errors.contains("use 'pawl' with its URL"), "\(run.errors)")
    }

    @Test func `the result for programs`() async throws {
        let workshop = try workshop()
        let run = try await workshop.run("mirror", url(workshop), "out", "--progress", "json")
        let last = try #require(run.output.split(separator: "\n").last)
        let object = try JSONSerialization.jsonObject(with: Data(last.utf8))
        let result = try #require(object as? [String: Any])
        #expect(result["event"] as? String == "mirrored")
        #expect(result["new"] as? Int == 5)
        #expect(result["folders"] as? Int == 3)
        #expect(result["vanished"] as? Int == 0)
    }

    @Test func `the errors for programs`() async throws {
        let workshop = try workshop()
        workshop.serve(.status(404), at: "/tree/sub/")
        workshop.serve(.status(404), at: "/tree/a.txt")
        try workshop.folder.makeFolder("out")
        try workshop.folder.makeFolder("out/big.bin")
        let run = try await workshop.run("mirror", url(workshop), "out", "--progress", "json")
        #expect(run.status != .code(0))
        let events = try run.output.split(separator: "\n").compactMap { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
        let errors = events.filter { $0["event"] as? String == "error" }
        let codes = errors.map { "\($0["path"] ?? "") \($0["code"] ?? "")" }.sorted()
        #expect(codes == ["a.txt not-found", "big.bin file-exists", "sub/ not-found"])
        #expect(events.last?["event"] as? String == "mirrored")
    }
}
