import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The queue as a file, and back.
    @Suite(.timeLimit(.minutes(5)))
    struct DaemonExportTests {
        private let big = Resource(size: 24 << 20)

        /// Adds a paused download with many settings.
        private func add(_ scene: DaemonScene) async throws {
            try await scene.succeed(
                "add",
                "--paused",
                "--priority",
                "high",
                "--session",
                "films",
                "http://me:hunter2@host.example/a.iso?x=1",
                "-o",
                "films/a.iso",
                "-H",
                "X-Token: s3cret",
                "-x",
                "3",
                "--limit",
                "2M",
                "--no-resume",
                "--checksum",
                "md5=d41d8cd98f00b204e9800998ecf8427e",
                "--mirror",
                "http://other.example/a.iso"
            )
        }

        private func exported(_ scene: DaemonScene) async throws -> [NewDownload] {
            unlink(scene.home.path("queue.json"))
            try await scene.succeed("export", "-o", scene.home.path("queue.json"))
            let bytes = try scene.home.read("queue.json")
            return try WireJSON.decode(NewDownloads.self, from: bytes).downloads
        }

        @Test func `what was exported is the same after an import`() async throws {
            let scene = try DaemonScene(Workshop())
            try await add(scene)
            let before = try await exported(scene)
            #expect(before.count == 1)
            #expect(before.first?.isPaused == true)
            #expect(before.first?.priority == .high)
            #expect(before.first?.settings?[\.fields]?.map(\.value) == ["s3cret"])
            var status = stat()
            try #require(stat(scene.home.path("queue.json"), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            try await scene.succeed("remove", "--all")
            let added = try await scene.succeed("import", scene.home.path("queue.json"))
            #expect(added.output == "2\ta.iso\n")
            #expect(try await exported(scene) == before)
        }

        @Test func `an existing file is not replaced, and a relative path is relative`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await add(scene)
            try await scene.succeed("export", "--output", "backup/queue.json")
            #expect(scene.workshop.folder.exists("backup/queue.json"))
            let run = try await scene.run("export", "--output", "backup/queue.json")
            #expect(run.status == .code(ErrorCode.usage.exitStatus))
        }

        @Test func `a list has the same downloads`() async throws {
            let scene = try DaemonScene(Workshop())
            try await add(scene)
            let before = try await exported(scene)
            let list = scene.home.path("list")
            try await scene.succeed("export", "--list", "--output", list)
            try await scene.succeed("remove", "--all")
            try await scene.succeed(
                "add",
                "--paused",
                "--priority",
                "high",
                "--session",
                "films",
                "-i",
                list
            )
            #expect(try await exported(scene) == before)
        }

        @Test func `without secrets, there are neither passwords nor header fields`() async throws {
            let scene = try DaemonScene(Workshop())
            try await add(scene)
            for form in [[], ["--list"]] {
                let run = try await scene.workshop.run(
                    ["export", "--no-secrets"] + form,
                    scene.settings
                )
                #expect(run.status == .code(0))
                #expect(run.output.contains("http://host.example/a.iso?x=1"))
                #expect(!run.output.contains("X-Token"))
            }
        }

        @Test func `an imported download continues from its partial file`() async throws {
            let scene = try DaemonScene(Workshop())
            try await scene.addHeld(big)
            try await scene.succeed("pause", "--all")
            let downloads = try await exported(scene)
            #expect(downloads.first?.destination.hasSuffix("/" + Workshop.name) == true)
            try await scene.succeed("remove", "--all")
            scene.workshop.serve(.resource(big))
            let before = scene.workshop.origin.requests.count
            try await scene.succeed("import", scene.home.path("queue.json"))
            try await scene.succeed("resume", "--all")
            try await scene.succeed("wait", "--all")
            let after = scene.workshop.origin.requests.dropFirst(before)
            #expect(after.allSatisfy { $0.range != nil }, "it started over")
            try expectExact(Workshop.name, big, in: scene.workshop)
        }

        @Test func `a list has the same URL and path, or no entry at all`() async throws {
            let scene = try DaemonScene(Workshop())
            let socket = scene.home.path("run/pawl/daemon.sock")
            try await scene.succeed("daemon", "start")
            let folder = scene.workshop.folder.path
            let downloads = #"""
                {"downloads":[
                {"url":"http://host.example/{a,b}?{1..3}","destination":"\#(folder)/a","isPaused":true},
                {"url":"http://host.example/b","destination":"\#(folder)/b ","isPaused":true},
                {"url":"http://host.example/c","destination":"\#(folder)/-","isPaused":true},
                {"url":"http://host.example/d","destination":"\#(folder)/","isPaused":true,
                 "priority":"low","taskDescription":"x","notBefore":"2100-01-01T00:00:00Z"}
                ]}
                """#
            let added = try await ProcessRunner.run(
                "curl",
                [
                    "-sf", "--unix-socket", socket, "http://d/v1/downloads", "-H",
                    "Content-Type: application/json", "--data-binary", downloads,
                ]
            )
            #expect(added.status == .code(0))
            let list = scene.home.path("list")
            let run = try await scene.succeed("export", "--list", "--output", list)
            #expect(run.errors.contains("download 2 (b"))
            #expect(run.errors.contains("download 3 (-) is left out: a list cannot contain"))
            let note = run.errors.split(separator: "\n").first { $0.contains("download 4 ") }
            for part in ["its priority (low)", "its start time", "its description", "paused"] {
                #expect(note?.contains(part) == true, "\(run.errors)")
            }
            try await scene.succeed("remove", "--all")
            try await scene.succeed("add", "--paused", "--input-file", list)
            let read = try await exported(scene)
            #expect(
                read.map(\.url) == [
                    "http://host.example/%7Ba,b%7D?%7B1..3%7D", "http://host.example/d",
                ]
            )
            #expect(read.map(\.destination) == ["\(folder)/a", "\(folder)/"])
        }

        @Test func `a finished download is left out, and the output says so`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 1000)))
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("wait", "--all")
            let run = try await scene.succeed("export", "1")
            #expect(run.errors.contains("download 1 (disk.iso) is left out"))
            let read = try WireJSON.decode(NewDownloads.self, from: run.output.utf8)
            #expect(read.downloads.isEmpty)
        }

        @Test(arguments: ["{", "[]", #"{"downloads":[{"url":1}]}"#, "http://a.test/\n"])
        func `another file is a usage error`(text: String) async throws {
            let scene = try DaemonScene(Workshop())
            let path = try scene.home.write("other", text)
            let run = try await scene.run("import", path)
            #expect(run.status == .code(ErrorCode.usage.exitStatus))
            #expect(run.errors.contains("is not the JSON of 'pawl export'"))
        }
    }
}
