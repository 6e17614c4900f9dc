import Glibc
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// How downloads of different owners and servers treat each other's partial files.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonOwnersTests {
        private let resource = Resource(size: 12 << 20, seed: 1)

        /// The user's download 1, paused in the middle.
        private func leavePartialFile(in scene: DaemonScene) async throws {
            let folder = scene.workshop.folder
            scene.workshop.serve(.resource(resource).holdAfterBytes(4 << 20, until: Latch()))
            try await scene.succeed("add", scene.workshop.url, "-d", folder.path, "-x", "1")
            try await FolderWatch.wait(for: "disk.iso.part", in: folder)
            try await scene.succeed("pause", "1")
        }

        /// A program that may add downloads to the folder in which the user's download 1 is paused.
        private func leavePartialFileBesideProgram() async throws -> AccessScene {
            let access = try await AccessScene.make()
            let scene = access.network.scene
            try await scene.succeed("daemon", "allow", "--folder", scene.workshop.folder.path)
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            try await leavePartialFile(in: scene)
            return access
        }

        /// Adds the user's URL as a program.
        private func addAsProgram(_ access: AccessScene) async throws {
            let workshop = access.network.scene.workshop
            let destination = "\(workshop.folder.path)/"
            let body =
                #"{"downloads":[{"url":"\#(workshop.url)","destination":"\#(destination)"}]}"#
            let added = try await access.ask(AccessScene.adder, "POST", "/v1/downloads", body)
            #expect(added.status == 201, "\(added.body)")
        }

        @Test func `a program ignores the user's download of the same URL`()
            async throws
        {
            let access = try await leavePartialFileBesideProgram()
            let scene = access.network.scene
            let folder = scene.workshop.folder
            scene.workshop.serve(.resource(resource))
            try await addAsProgram(access)
            try await scene.succeed("wait", "2")
            let names = ["disk.1.iso", "disk.iso.part", "disk.iso.part.pawl"]
            #expect(folder.list() == names)
            let before = scene.workshop.origin.requests.count
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            let again = scene.workshop.origin.requests.dropFirst(before)
            #expect(again.allSatisfy { ($0.range?.first ?? 0) > 0 }, "the first started over")
            for name in ["disk.iso", "disk.1.iso"] {
                #expect(try resource.verify(fileAt: folder.path(name)) == nil, "\(name)")
            }
        }

        @Test func `a program continues no partial file that the queue does not know`() async throws
        {
            let access = try await leavePartialFileBesideProgram()
            let scene = access.network.scene
            let folder = scene.workshop.folder
            // The files of a removed download stay, for the user to continue.
            try await scene.succeed("remove", "1")
            let names = ["disk.iso.part", "disk.iso.part.pawl"]
            #expect(folder.list() == names)

            let held = scene.workshop.origin.requests.count
            scene.workshop.serve(.resource(resource).holdAfterBytes(4 << 20, until: Latch()))
            try await addAsProgram(access)
            try await FolderWatch.wait(for: "disk.1.iso.part", in: folder)
            let cancelled = try await access.ask(
                AccessScene.adder,
                "POST",
                APIPath.action(.cancel),
                #"{"targets":["2"]}"#
            )
            #expect(cancelled.status == 200, "\(cancelled.body)")
            try await scene.succeed("wait", "--all")
            #expect(folder.list() == names)
            let asked = scene.workshop.origin.requests.dropFirst(held)
            #expect(asked.first?.range?.first ?? 0 == 0, "it has continued the user's bytes")

            let before = scene.workshop.origin.requests.count
            scene.workshop.serve(.resource(resource))
            try await scene.succeed("add", scene.workshop.url, "-d", folder.path)
            try await scene.succeed("wait", "--all")
            let again = scene.workshop.origin.requests.dropFirst(before)
            #expect(again.allSatisfy { ($0.range?.first ?? 0) > 0 }, "the user started over")
            #expect(try resource.verify(fileAt: folder.path("disk.iso")) == nil)
        }

        @Test func `a program continues its own partial file after a restore from a backup`()
            async throws
        {
            let access = try await AccessScene.make()
            let scene = access.network.scene
            let folder = scene.workshop.folder
            try await scene.succeed("daemon", "allow", "--folder", folder.path)
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            scene.workshop.serve(.resource(resource).holdAfterBytes(4 << 20, until: Latch()))
            try await addAsProgram(access)
            try await FolderWatch.wait(for: "disk.iso.part.pawl", in: folder)
            try await scene.succeed("pause", "1")
            // The copies have other inodes.
            for name in ["disk.iso.part", "disk.iso.part.pawl"] {
                try folder.write("copy", folder.read(name))
                #expect(rename(folder.path("copy"), folder.path(name)) == 0)
            }
            let before = scene.workshop.origin.requests.count
            scene.workshop.serve(.resource(resource))
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            let again = scene.workshop.origin.requests.dropFirst(before)
            #expect(again.allSatisfy { ($0.range?.first ?? 0) > 0 }, "it started over")
            #expect(try resource.verify(fileAt: folder.path("disk.iso")) == nil)
            #expect(folder.list() == ["disk.iso"])
        }

        @Test func `a session whose name only looks the same is another session`() async throws {
            let access = try await AccessScene.make()
            for (authority, name) in [(.user, "t\u{E9}"), (AccessScene.main, "te\u{301}")]
                as [(Authority, String)]
            {
                let body = #"{"identifier":"\#(name)"}"#
                let made = try await access.ask(authority, "POST", "/v1/sessions", body)
                #expect(made.status == 200, "\(made.body)")
            }
            let path = "/v1/events?process=1&session="
            async let mine = access.ask(.user, "GET", "\(path)t%C3%A9")
            async let other = access.ask(
                AccessScene.main,
                "GET",
                "\(path)te%CC%81&take-over=true"
            )
            for answer in [try await mine, try await other] {
                #expect(answer.status == 200, "\(answer.body)")
                #expect(!answer.body.contains("detached"))
            }
        }

        /// The queue distinguishes the two names, which Swift treats as equal.
        @Test func `a session whose name has other bytes is another session`() async throws {
            let access = try await AccessScene.make()
            let scene = access.network.scene
            let (own, other) = ("t\u{E9}", "te\u{301}")
            func register(_ name: String) -> String { #"{"identifier":"\#(name)"}"# }
            func path(_ name: String) -> String { "/v1/events?session=\(name)&process=1" }
            let users = try await access.ask(.user, "POST", "/v1/sessions", register(own))
            #expect(users.status == 200, "\(users.body)")
            let socket = scene.home.path("run/pawl/daemon.sock")
            let stream = try ProcessRunner(
                "curl",
                ["-sN", "--unix-socket", socket, "http://localhost" + path("t%C3%A9")]
            )
            #expect(await stream.waitForOutput(containing: "attached"))
            let main = AccessScene.main
            #expect(
                try await access.ask(main, "POST", "/v1/sessions", register(other)).status == 200
            )
            let taken = path("te%CC%81") + "&take-over=true"
            #expect(try await access.ask(main, "GET", taken).status == 200)
            #expect(!stream.output.contains("detached"))
            // A download of each session: the program may add only to its own.
            let download = #"{"url":"http://example.org/a","destination":"","taskIdentifier":1"#
            let both = [other, own].map { #"\#(download),"isPaused":true,"session":"\#($0)"}"# }
            let body = #"{"downloads":[\#(both.joined(separator: ","))]}"#
            #expect(try await access.ask(main, "POST", "/v1/downloads", body).status == 403)
            stream.signal(SIGKILL)
        }

        @Test func `another server's file of the same path and tag is another file`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let folder = scene.workshop.folder
            try await leavePartialFile(in: scene)
            let other = try ScriptedOrigin()
            var evil = Resource(size: resource.size, seed: 2)
            evil.entityTag = resource.entityTag
            other.route(Workshop.path, .resource(evil))
            try await scene.succeed("add", other.url(Workshop.path), "-d", folder.path)
            try await scene.succeed("wait", "2")
            #expect(try evil.verify(fileAt: folder.path("disk.1.iso")) == nil)
            #expect(folder.list().contains("disk.iso.part"))
            withExtendedLifetime(daemon) {}
        }

        @Test func `with a URL of another server it resumes from the received bytes`() async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let folder = scene.workshop.folder
            try await leavePartialFile(in: scene)
            let other = try ScriptedOrigin()
            other.route(Workshop.path, .resource(resource))
            try await scene.succeed("set", "--url", other.url(Workshop.path), "1")
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            #expect(try resource.verify(fileAt: folder.path("disk.iso")) == nil)
            #expect(folder.list() == ["disk.iso"])
            #expect(other.requests.contains { ($0.range?.first ?? 0) > 0 }, "it started over")
            withExtendedLifetime(daemon) {}
        }
    }
}
