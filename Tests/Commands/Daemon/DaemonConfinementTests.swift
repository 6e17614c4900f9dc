import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The restrictions of downloads that are added over TCP.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonConfinementTests {
        private let resource = Resource(size: 300_000)

        private func add(
            _ network: NetworkScene,
            _ destination: String,
            _ more: String = ""
        ) async throws -> NetworkScene.Answer {
            let url = network.scene.workshop.url
            return try await network.ask(
                "POST",
                "/v1/downloads",
                #"{"downloads":[{"url":"\#(url)","destination":"\#(destination)"\#(more)}]}"#
            )
        }

        private func open(_ network: NetworkScene) async throws {
            network.scene.workshop.serve(.resource(resource))
            try await network.scene.succeed("daemon", "allow", "--private-addresses", "yes")
        }

        @Test func `a download goes to the user's downloads, or to a folder that was allowed`()
            async throws
        {
            let network = try await NetworkScene.make()
            try await open(network)
            let home = network.scene.home
            #expect(try await add(network, "").status == 201)
            #expect(try await add(network, "\(home.path)/Downloads/sub/b.iso").status == 201)
            try await network.scene.succeed("wait", "--all")
            #expect(try home.read("Downloads/disk.iso") == resource.bytes())
            #expect(try home.read("Downloads/sub/b.iso") == resource.bytes())
            let rows = try await network.scene.downloads()
            #expect(
                Set(rows.compactMap(\.path)) == [
                    home.path("Downloads/disk.iso"), home.path("Downloads/sub/b.iso"),
                ]
            )
            let other = try home.makeFolder("other")
            #expect(try await add(network, "\(other)/c.iso").status == 403)
            try await network.scene.succeed("daemon", "allow", "--folder", other)
            #expect(try await add(network, "\(other)/c.iso").status == 201)
            #expect(try await add(network, "\(home.path)/Downloads/d.iso").status == 403)
            try await network.scene.succeed("wait", "--all")
            #expect(home.exists("other/c.iso"))
            // The user is not restricted.
            let folder = try home.makeFolder("anywhere")
            try await network.scene.succeed(
                "add",
                network.scene.workshop.url,
                "-d",
                folder
            )
            try await network.scene.succeed("wait", "--all")
            #expect(home.exists("anywhere/disk.iso"))
            // Another name is taken within, and files go away from there.
            #expect(
                try await network.ask("POST", "/v1/actions/remove-with-files", #"{"all":true}"#)
                    .status == 200
            )
        }

        @Test func `another folder, dots, a link, a command or a file of the user is refused`()
            async throws
        {
            let network = try await NetworkScene.make()
            let home = network.scene.home
            try home.makeFolder("Downloads")
            let outside = try home.makeFolder("outside")
            symlink(outside, home.path("Downloads/link"))
            for destination in [
                "/etc/passwd", "\(home.path)/a", "\(home.path)/Downloads/../a", "../a",
                "\(home.path)/Downloads/link/a", "link/", "link/deep/a",
                // A slash and a combining scalar are one Character, but two for the kernel.
                "../\u{301}a", "link/\u{301}a", "link/\u{200D}a", "link/\u{FE0F}a",
                "\(home.path)/Downloads/../\u{1F3FB}a", "link/\u{301}a/",
            ] {
                let answer = try await add(network, destination)
                #expect(answer.status == 403, "\(destination): \(answer.body)")
                #expect(answer.problem?.code == .notAllowed)
                #expect(answer.problem?.advice?.isEmpty == false)
            }
            #expect(try await add(network, "", #","resumeData":"AAAA""#).status == 403)
            let trust = #","settings":{"authoritiesFile":"/etc/passwd"}"#
            #expect(try await add(network, "", trust).status == 403)
            let asked: [(String, String, String)] = [
                ("POST", "/v1/sessions", #"{"identifier":"a","relaunchCommand":["/bin/true"]}"#),
                ("PATCH", "/v1/settings", #"{"allowedFolders":["/"]}"#),
                ("PATCH", "/v1/settings", #"{"allowsPrivateAddresses":true}"#),
                ("PATCH", "/v1/settings", #"{"allowedFolders":null}"#),
                ("PATCH", "/v1/settings", #"{"listen":null}"#),
            ]
            for (method, path, body) in asked {
                #expect(try await network.ask(method, path, body).status == 403, "\(body)")
            }
            #expect(try await network.scene.downloads().isEmpty)
            #expect(
                try await network.scene.succeed("session", "list").output.contains("a") == false
            )
            #expect(home.list("outside").isEmpty)
        }

        @Test func `a slash with a combining mark leads no download out of its folder`()
            async throws
        {
            let network = try await NetworkScene.make()
            try await open(network)
            let home = network.scene.home
            for (index, mark) in ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}"].enumerated() {
                let name = "\(mark)\(index).iso"
                #expect(try await add(network, "sub/\(name)").status == 201)
                let id = "\(index * 2 + 1)"
                try await network.scene.succeed("wait", id)
                #expect(try home.read("Downloads/sub/\(name)") == resource.bytes())
                let removed = try await network.ask(
                    "POST",
                    "/v1/actions/remove-with-files",
                    #"{"targets":["\#(id)"]}"#
                )
                #expect(removed.status == 200, "\(removed.body)")
                #expect(!home.exists("Downloads/sub/\(name)"))
                #expect(try await add(network, "a\(index)", #","isPaused":true"#).status == 201)
                for new in ["../\(name)", "sub/\(name)", "/\(mark)"] {
                    let renamed = try await network.ask(
                        "POST",
                        "/v1/changes",
                        #"{"selection":{"targets":["a\#(index)"]},"changes":{"name":"\#(new)"}}"#
                    )
                    #expect(renamed.status == 400, "\(renamed.body)")
                }
            }
            // A download of the user outside the folders gets no other URL.
            let path = "\(home.path)/Downloads/../\u{301}u"
            let url = network.scene.workshop.url
            let user = try await network.scene.succeed(
                "add",
                url,
                "-o",
                path,
                "--paused",
                "--json"
            )
            let id = try #require(user.output.firstMatch(of: /"id" ?: ?([0-9]+)/)?.1)
            let moved = try await network.ask(
                "POST",
                "/v1/changes",
                #"{"selection":{"targets":["\#(id)"]},"changes":{"url":"\#(url)2"}}"#
            )
            #expect(moved.status == 403, "\(moved.body)")
            #expect(home.list().filter { $0.unicodeScalars.contains("\u{301}") }.isEmpty)
        }

        @Test func `a destination that cannot be a folder is refused with the reason`()
            async throws
        {
            let network = try await NetworkScene.make()
            let home = network.scene.home
            try home.makeFolder("Downloads")
            try home.write("Downloads/file", "")
            for destination in ["file/x", "file/deep/x", "\(home.path)/Downloads/file/"] {
                let answer = try await add(network, destination)
                #expect(answer.status == 409, "\(destination): \(answer.body)")
                #expect(answer.problem?.title.contains("is a file") == true, "\(answer.body)")
            }
            let long = try await add(network, "\(String(repeating: "a", count: 300))/x")
            #expect(long.status == 400, "\(long.body)")
            let control = try await add(network, #"a\nb\u0001/x"#)
            #expect(control.status == 400, "\(control.body)")
            #expect(home.list("Downloads") == ["file"])
            #expect(try await network.scene.downloads().isEmpty)
        }

        @Test func `no download takes the name of another one's partial file`() async throws {
            let network = try await NetworkScene.make()
            try network.scene.home.makeFolder("Downloads")
            let answer = try await add(network, "disk.iso.part")
            #expect(answer.status == 403)
            #expect(answer.problem?.advice?.contains("disk.iso_part") == true, "\(answer.body)")
            #expect(try await add(network, "a.iso", #","isPaused":true"#).status == 201)
            let selection = #"{"selection":{"targets":["1"]},"changes":{"name":"a.part"}}"#
            let renamed = try await network.ask("POST", "/v1/changes", selection)
            #expect(renamed.status == 403)
            #expect(try await network.scene.downloads().map(\.name) == ["a.iso"])
            // A name that the user has chosen is not used for another download.
            try await network.scene.succeed("set", "1", "--name", "a.part")
        }

        @Test func `a folder that does not exist is not allowed`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let home = scene.home
            try home.write("file", "")
            let before = try await scene.succeed("daemon", "allow").output
            for path in ["nonexistent", "file"] {
                let run = try await scene.run("daemon", "allow", "--folder", home.path(path))
                expectFailure(.usage, run)
            }
            #expect(try await scene.succeed("daemon", "allow").output == before)
            #expect(!home.exists("nonexistent"))
            let folder = try home.makeFolder("there")
            let allowed = try await scene.succeed("daemon", "allow", "--folder", folder)
            #expect(allowed.output.contains(folder))
            withExtendedLifetime(daemon) {}
        }

        /// It was a folder when the download was added.
        @Test func `a link that takes the folder's place leads nowhere`() async throws {
            let network = try await NetworkScene.make()
            try await open(network)
            let home = network.scene.home
            try home.makeFolder("Downloads")
            try home.makeFolder("Downloads/sub")
            let outside = try home.makeFolder("outside")
            #expect(try await add(network, "sub/a.iso", #","isPaused":true"#).status == 201)
            rmdir(home.path("Downloads/sub"))
            symlink(outside, home.path("Downloads/sub"))
            try await network.scene.succeed("resume", "1")
            _ = try await network.scene.run("wait", "1")
            let row = try #require(try await network.scene.downloads().first)
            #expect(row.state == .failed)
            #expect(row.problem?.code == .notAllowed)
            #expect(home.list("outside").isEmpty)
        }

        /// The daemon may read what the link leads to, the program may not.
        @Test(arguments: [#""ifExists":"skip""#, "checksum"])
        func `a link with the name of a file is not followed`(setting: String) async throws {
            let network = try await NetworkScene.make()
            try await open(network)
            let home = network.scene.home
            try home.makeFolder("Downloads")
            let secret = try home.write("secret", resource.bytes())
            symlink(secret, home.path("Downloads/a.iso"))
            let digest = try #require(resource.digest(.sha256)?.description)
            let setting = setting == "checksum" ? #""checksum":"\#(digest)""# : setting
            let answer = try await add(network, "a.iso", #","settings":{\#(setting)}"#)
            #expect(answer.status == 201, "\(answer.body)")
            try await network.scene.succeed("wait", "--all")
            let row = try #require(try await network.scene.downloads().first)
            #expect(row.path == home.path("Downloads/a.1.iso"), "\(row)")
            #expect(try home.read("Downloads/a.1.iso") == resource.bytes())
        }

        @Test func `several folders can be allowed with one command`() async throws {
            let network = try await NetworkScene.make()
            let (scene, home) = (network.scene, network.scene.home)
            let folders = [try home.makeFolder("one"), try home.makeFolder("two")]
            let allowed = try await scene.succeed(
                "daemon",
                "allow",
                "--folder",
                folders[0],
                "--folder",
                folders[1]
            )
            for folder in folders { #expect(allowed.output.contains(folder)) }
        }

        /// The folder is replaced between the start and the end.
        @Test func `a link that is created while the download runs changes nothing`() async throws {
            let network = try await NetworkScene.make()
            try await open(network)
            let home = network.scene.home
            let outside = try home.makeFolder("outside")
            let latch = Latch()
            network.scene.workshop.serve(.resource(resource).holdAfterBytes(1000, until: latch))
            #expect(try await add(network, "sub/a.iso").status == 201)
            await network.scene.workshop.origin.waitForBytes(1)
            rename(home.path("Downloads/sub"), home.path("Downloads/moved"))
            symlink(outside, home.path("Downloads/sub"))
            latch.release()
            _ = try await network.scene.run("wait", "1")
            #expect(home.list("outside").isEmpty)
            let row = try #require(try await network.scene.downloads().first)
            #expect(row.state == .finished, "\(row)")
            #expect(row.path == home.path("Downloads/sub/a.iso"))
            #expect(try home.read("Downloads/moved/a.iso") == resource.bytes())
        }

        @Test func `it resumes at its position, even after a crash`() async throws {
            let network = try await NetworkScene.make()
            try await open(network)
            let home = network.scene.home
            let latch = Latch()
            network.scene.workshop.serve(.resource(resource).holdAfterBytes(200_000, until: latch))
            #expect(try await add(network, "sub/a.iso").status == 201)
            await network.scene.workshop.origin.waitForBytes(200_000)
            network.daemon.signal(SIGKILL)
            await network.daemon.waitForExit()
            latch.release()
            let second = try await network.scene.startDaemon()
            try await network.scene.succeed("wait", "1")
            #expect(try home.read("Downloads/sub/a.iso") == resource.bytes())
            #expect(home.list("Downloads/sub") == ["a.iso"])
            withExtendedLifetime(second) {}
        }

        @Test func `a private address is reached only where the user allows it`() async throws {
            let network = try await NetworkScene.make()
            network.scene.workshop.serve(.resource(resource))
            let origin = network.scene.workshop.origin
            for (index, host) in ["127.0.0.1", "localhost"].enumerated() {
                let url = origin.url("/disk.iso", host: host)
                let body = #"{"downloads":[{"url":"\#(url)","destination":"\#(index).iso"}]}"#
                #expect(try await network.ask("POST", "/v1/downloads", body).status == 201)
            }
            let run = try await network.scene.run("wait", "1", "2")
            #expect(run.status == .code(ErrorCode.notAllowed.exitStatus), "\(run.everything)")
            let rows = try await network.scene.downloads()
            #expect(rows.map(\.state) == [.failed, .failed])
            #expect(rows.allSatisfy { $0.problem?.code == .notAllowed })
            #expect(origin.snapshot.acceptedConnections == 0)
            // One of the user's own goes there; another URL over TCP makes it one of TCP's.
            let downloads = network.scene.home.path("Downloads")
            let add = ["add", origin.url("/disk.iso"), "-d", downloads, "--paused"]
            _ = try await network.scene.workshop.run(add, network.scene.settings)
            let change =
                #"{"selection":{"targets":["3"]},"changes":{"url":"\#(origin.url("/b"))"}}"#
            #expect(try await network.ask("POST", "/v1/changes", change).status == 200)
            try await network.scene.succeed("resume", "3")
            _ = try await network.scene.run("wait", "3")
            let row = try #require(try await network.scene.downloads().last)
            #expect(row.problem?.code == .notAllowed)
            #expect(origin.snapshot.acceptedConnections == 0)
        }

        @Test func `a download that runs leaves a private address that is no longer allowed`()
            async throws
        {
            let network = try await NetworkScene.make()
            try await open(network)
            let (scene, origin) = (network.scene, network.scene.workshop.origin)
            let latch = Latch()
            scene.workshop.serve(.resource(resource).holdAfterBytes(100_000, until: latch))
            #expect(try await add(network, "a.iso").status == 201)
            // The user's own download is not restricted.
            try await scene.succeed("add", scene.workshop.url, "-d", scene.home.path, "-x", "1")
            await origin.waitForBytes(200_000)
            try await scene.succeed("daemon", "allow", "--private-addresses", "no")
            _ = try await scene.run("wait", "1")
            let row = try #require(try await scene.downloads().first)
            #expect(row.state == .failed)
            #expect(row.problem?.code == .notAllowed)
            latch.release()
            try await scene.succeed("wait", "2")
            #expect(!scene.home.exists("Downloads/a.iso"))
        }

        @Test func `a removal that is undone over TCP runs only in an allowed folder`()
            async throws
        {
            let network = try await NetworkScene.make()
            try await network.scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let (scene, home) = (network.scene, network.scene.home)
            let (first, second) = (try home.makeFolder("first"), try home.makeFolder("second"))
            try await scene.succeed("daemon", "allow", "--folder", first)
            scene.serveHeld(Resource(size: 24 << 20))
            #expect(try await add(network, "\(first)/a.iso").status == 201)
            let remove = #"{"targets":["1"]}"#
            #expect(try await network.ask("POST", "/v1/actions/remove", remove).status == 200)
            try await scene.succeed("daemon", "allow", "--folder", second)
            #expect(try await network.ask("POST", "/v1/undo").status == 200)
            #expect(try await scene.downloads().map(\.state) == [.paused])
            // The user is not restricted.
            try await scene.succeed("remove", "1")
            try await scene.succeed("undo")
            try await scene.succeed("resume", "1")
            #expect(try await scene.downloads().first?.state != .paused)
        }

        @Test func `a folder that is no longer allowed is not used for a change over TCP`()
            async throws
        {
            let network = try await NetworkScene.make()
            try await open(network)
            let (scene, home) = (network.scene, network.scene.home)
            let (first, second) = (try home.makeFolder("first"), try home.makeFolder("second"))
            try await scene.succeed("daemon", "allow", "--folder", first)
            #expect(try await add(network, "\(first)/a.iso", #","isPaused":true"#).status == 201)
            try await scene.succeed("daemon", "allow", "--folder", second)
            let url = scene.workshop.url
            for change in [#""name":"b.iso""#, #""url":"\#(url)""#] {
                let body = #"{"selection":{"targets":["1"]},"changes":{\#(change)}}"#
                let answer = try await network.ask("POST", "/v1/changes", body)
                #expect(answer.status == 403, "\(change): \(answer.body)")
                #expect(answer.problem?.code == .notAllowed)
            }
            let resumed = try await network.ask("POST", "/v1/actions/resume", #"{"targets":["1"]}"#)
            #expect(resumed.status == 403)
            _ = try await network.ask("POST", "/v1/actions/resume", #"{"all":true}"#)
            #expect(try await scene.downloads().map(\.state) == [.paused])
            #expect(home.list("first").isEmpty)
            // The user is not restricted, and the download goes where it was added.
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            #expect(home.list("first") == ["a.iso"])
        }

        @Test func `a download of the user outside the folders gets no other URL or name over TCP`()
            async throws
        {
            let network = try await NetworkScene.make()
            try await network.scene.succeed("add", network.scene.workshop.url, "--paused")
            let home = network.scene.home
            let before = try await network.scene.downloads()
            for change in [#"{"url":"https://example.org/x"}"#, #"{"name":".bashrc"}"#] {
                let body = #"{"selection":{"targets":["1"]},"changes":\#(change)}"#
                #expect(try await network.ask("POST", "/v1/changes", body).status == 403)
            }
            // What a request does not name, it skips.
            let skipping = #"{"selection":{"all":true},"changes":{"url":"https://example.org/x"}}"#
            let skipped = try await network.ask("POST", "/v1/changes", skipping)
            #expect(skipped.status == 200, "\(skipped.body)")
            // A link in an allowed folder leads out of it, so the file is not in it.
            let (link, outside) = (home.path("Downloads/link"), try home.makeFolder("outside"))
            try home.makeFolder("Downloads")
            symlink(outside, link)
            let url = network.scene.workshop.url
            try await network.scene.succeed("add", url, "-o", "\(link)/a", "--paused")
            let removal = #"{"targets":["2"]}"#
            for action in ["cancel", "remove-with-files"] {
                let answer = try await network.ask("POST", "/v1/actions/\(action)", removal)
                #expect(answer.status == 403, "\(action): \(answer.body)")
            }
            try await network.scene.succeed("remove", "2")
            #expect(try await network.scene.downloads() == before)
            let body = #"{"selection":{"all":true},"changes":{"priority":"high"}}"#
            #expect(try await network.ask("POST", "/v1/changes", body).status == 200)
            #expect(try await network.ask("GET", "/v1/downloads/1/resume-data").status == 403)
        }
    }
}
