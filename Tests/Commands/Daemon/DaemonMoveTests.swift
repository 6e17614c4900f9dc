import FoundationEssentials
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Rules that move finished files of the daemon.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonMoveTests {
        private let resource = Resource(size: 300_000)

        @Test func `the first rule that matches moves the file before its hooks run`() async throws
        {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            let notes = try HookNotes(in: scene.home)
            let (images, films) = (scene.home.path("images"), scene.home.path("films"))
            let set = try await scene.succeed(
                "daemon",
                "hooks",
                "--move",
                "label=films -> \(films)",
                "--move",
                "host=127.0.0.1, size>200K -> \(images)"
            )
            #expect(set.output.contains("label=films -> \(films)"))
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "--on-complete",
                notes.command("end")
            )
            try await scene.succeed("wait", "1")
            #expect(try scene.home.read("images/disk.iso") == resource.bytes())
            #expect(scene.workshop.folder.list().isEmpty)
            let note = try await notes.read("end")
            #expect(note.facts.path == scene.home.path("images/disk.iso"))
            // Another file of that name is not replaced.
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("add", "--label", "films", scene.workshop.url)
            try await scene.succeed("wait", "--all")
            let paths = try await scene.downloads().compactMap(\.path)
            #expect(paths.count == 3)
            #expect(paths[1].hasPrefix(images + "/disk"))
            #expect(paths[1] != paths[0])
            #expect(paths[2] == films + "/disk.iso")
            let names = paths.map { String($0.dropFirst(scene.home.path.count + 1)) }
            for name in names { #expect(try scene.home.read(name) == resource.bytes()) }
            let finished = try await scene.events().filter { $0.kind == .finished }
            #expect(Set(finished.compactMap(\.path)) == Set(paths))
            try await scene.succeed("remove", "--all", "--state", "finished", "--with-files")
            for name in names { #expect(!scene.home.exists(name)) }
            withExtendedLifetime(daemon) {}
        }

        @Test(.enabled(if: TwoDisks.isAvailable))
        func `a file is moved to another file system`() async throws {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            let disks = try TwoDisks()
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "-d",
                disks.near.path,
                "--move",
                "type=* -> \(disks.far.path("sub"))"
            )
            try await scene.succeed("wait", "1")
            #expect(try disks.far.read("sub/disk.iso") == resource.bytes())
            #expect(disks.near.list().isEmpty)
            try await scene.succeed("remove", "1", "--with-files")
            #expect(!disks.far.exists("sub/disk.iso"))
            withExtendedLifetime(daemon) {}
        }

        @Test func `a file that cannot be moved stays, and the download finishes`() async throws {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            let blocked = try scene.home.write("blocked", "a file")
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "--move",
                "name=* -> \(blocked)/sub"
            )
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            #expect(
                try await scene.downloads().first?.path == scene.workshop.folder.path(Workshop.name)
            )
            #expect(await daemon.waitForOutput(containing: "was not moved"))
            withExtendedLifetime(daemon) {}
        }

        @Test func `a file that was there before is not moved`() async throws {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            try scene.workshop.folder.write(Workshop.name, "mine")
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "--if-exists",
                "skip",
                "--move",
                "name=* -> \(scene.home.path("images"))"
            )
            try await scene.succeed("wait", "1")
            #expect(try scene.workshop.folder.readText(Workshop.name) == "mine")
            #expect(!scene.home.exists("images"))
            withExtendedLifetime(daemon) {}
        }

        @Test func `none removes the daemon's rules, or turns them off for one download`()
            async throws
        {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            let images = scene.home.path("images")
            let own = try await scene.succeed("daemon", "hooks", "--move", "name=* -> \(images)")
            #expect(own.output.contains(images))
            try await scene.succeed("add", scene.workshop.url, "--move", "none")
            try await scene.succeed("wait", "--all")
            #expect(!scene.home.exists("images"))
            let none = try await scene.succeed("daemon", "hooks", "--move", "none")
            #expect(!none.output.contains(images), "\(none.output)")
            try await scene.succeed("add", scene.workshop.url, "--output", "other.iso")
            try await scene.succeed("wait", "--all")
            #expect(try scene.workshop.folder.read("other.iso") == resource.bytes())
            #expect(!scene.home.exists("images"))
            withExtendedLifetime(daemon) {}
        }

        @Test func `a program's file leaves the allowed folders by a rule of the user alone`()
            async throws
        {
            let network = try await NetworkScene.make()
            let scene = network.scene
            scene.workshop.serve(.resource(resource))
            let images = scene.home.path("images")
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            try await scene.succeed("daemon", "hooks", "--move", "name=*.iso -> \(images)")
            let rules = #""moveRules":["name=* -> \#(images)"]"#
            let refused = [
                ("PATCH", "/v1/settings", "{\(rules)}"),
                (
                    "POST", "/v1/downloads",
                    #"{"downloads":[{"url":"\#(scene.workshop.url)","destination":"","#
                        + #""settings":{\#(rules)}}]}"#
                ),
            ]
            for (method, path, body) in refused {
                #expect(try await network.ask(method, path, body).status == 403)
            }
            let body = #"{"downloads":[{"url":"\#(scene.workshop.url)","destination":""}]}"#
            #expect(try await network.ask("POST", "/v1/downloads", body).status == 201)
            try await scene.succeed("wait", "--all")
            #expect(try scene.home.read("images/disk.iso") == resource.bytes())
            let row = try #require(try await scene.downloads().first)
            #expect(row.path == images + "/disk.iso")
            let action = "/v1/actions/remove-with-files"
            #expect(try await network.ask("POST", action, #"{"all":true}"#).status == 200)
            #expect(!scene.home.exists("images/disk.iso"))
        }
    }
}
