import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Downloads of the daemon into a bucket.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonObjectTests {
        private let bucket: ScriptedBucket
        private let small = Resource(size: 300_000)
        private let large = Resource(size: 30_000_000)

        init() throws { bucket = try ScriptedBucket() }

        /// Lets the files of the daemon's user name the service and the credentials.
        private func prepare(_ scene: DaemonScene) throws {
            try scene.home.makeFolder(".aws")
            try scene.home.write(
                ".aws/config",
                """
                [default]
                aws_access_key_id = \(bucket.credentials.keyID)
                aws_secret_access_key = \(bucket.credentials.secret)
                endpoint_url = \(bucket.endpoint())

                """
            )
        }

        private func scene() throws -> DaemonScene {
            let scene = try DaemonScene(Workshop())
            try prepare(scene)
            return scene
        }

        /// Adds a download whose first three parts are stored, and which then waits.
        private func addHeld(_ scene: DaemonScene) async throws {
            scene.workshop.serve(.resource(large).holdAfterBytes(26 << 20, until: Latch()))
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "-o",
                "s3://photos/in/",
                "-x",
                "1"
            )
            await bucket.waitUntil { requests in
                requests.count { $0.operation == .uploadPart && $0.status == 200 } >= 3
            }
        }

        /// Waits until the bucket has no upload any more.
        private func waitForAbortion() async {
            await bucket.waitUntil { requests in
                requests.contains { $0.operation == .abortMultipartUpload && $0.hadEffect }
            }
        }

        // MARK: - The user

        @Test func `a download becomes an object, and hooks and lists name its URL`() async throws {
            let scene = try scene()
            scene.workshop.serve(.resource(small))
            let notes = try HookNotes(in: scene.home)
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "-o",
                "s3://photos/a%20b/",
                "--on-complete",
                notes.command("end")
            )
            try await scene.succeed("wait", "--all")
            #expect(bucket.object("a b/disk.iso")?.bytes == small.bytes())
            #expect(bucket.uploads.isEmpty)
            let row = try #require(try await scene.downloads().first)
            #expect(row.state == .finished)
            #expect(row.path == "s3://photos/a%20b/disk.iso")
            #expect(row.name == "disk.iso")
            let note = try await notes.read("end")
            #expect(note.variables["PAWL_DOWNLOAD_PATH"] == "s3://photos/a%20b/disk.iso")
            #expect(scene.workshop.folder.list().isEmpty)
            let shown = try await scene.succeed("show", "1")
            #expect(shown.output.contains("s3://photos/a%20b/disk.iso"), "\(shown.output)")
            let events = try await scene.events()
            #expect(events.last { $0.kind == .finished }?.path == "s3://photos/a%20b/disk.iso")
            for name in ["queue.sqlite", "queue.sqlite-wal", "daemon.log"]
            where scene.home.exists("state/pawl/\(name)") {
                let bytes = try scene.home.read("state/pawl/\(name)")
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(!text.contains(bucket.credentials.secret), "\(name)")
            }
        }

        @Test func `a restarted daemon continues an upload`() async throws {
            let scene = try scene()
            let daemon = try await scene.startDaemon()
            try await addHeld(scene)
            daemon.signal(SIGKILL)
            #expect(await daemon.waitForExit() == .signal(SIGKILL))
            scene.workshop.serve(.resource(large))
            let next = try await scene.startDaemon()
            try await scene.succeed("wait", "--all")
            #expect(bucket.object("in/disk.iso")?.bytes == large.bytes())
            #expect(bucket.requests(.createMultipartUpload).count == 1)
            #expect(bucket.uploads.isEmpty)
            // What is complete is not aborted.
            #expect(bucket.requests(.abortMultipartUpload).isEmpty)
            withExtendedLifetime(next) {}
        }

        @Test(arguments: [BucketOperation.putObject, .completeMultipartUpload])
        func `a daemon that ends before it knows of the object does not store it twice`(
            operation: BucketOperation
        ) async throws {
            let scene = try scene()
            let resource = operation == .putObject ? small : large
            scene.workshop.serve(.resource(resource))
            let latch = Latch()
            bucket.on(operation, 1, .holdAfter(latch))
            let daemon = try await scene.startDaemon()
            let object = "s3://photos/in/"
            try await scene.succeed("add", scene.workshop.url, "-o", object, "-x", "1")
            await bucket.waitUntil { requests in
                requests.contains { $0.operation == operation && $0.hadEffect }
            }
            daemon.signal(SIGKILL)
            #expect(await daemon.waitForExit() == .signal(SIGKILL))
            latch.release()
            let next = try await scene.startDaemon()
            try await scene.succeed("wait", "--all")
            #expect(bucket.keys() == ["in/disk.iso"])
            #expect(bucket.object("in/disk.iso")?.bytes == resource.bytes())
            #expect(bucket.requests(operation).count == 1)
            #expect(try await scene.downloads().first?.path == "s3://photos/in/disk.iso")
            withExtendedLifetime(next) {}
        }

        @Test(arguments: ["cancel", "remove --with-files", "pause, remove --with-files"])
        func `the upload of a download that ends otherwise is aborted`(commands: String)
            async throws
        {
            let scene = try scene()
            let daemon = try await scene.startDaemon()
            try await addHeld(scene)
            for command in commands.split(separator: ", ") {
                var words = command.split(separator: " ").map(String.init)
                words.insert("1", at: 1)
                let run = try await scene.workshop.run(words, scene.settings)
                #expect(run.status == .code(0), "\(run.errors)")
            }
            await waitForAbortion()
            #expect(bucket.uploads.isEmpty)
            #expect(bucket.keys().isEmpty)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a complete object is not removed, and its key is not changed`() async throws {
            let scene = try scene()
            scene.workshop.serve(.resource(small))
            try await scene.succeed("add", scene.workshop.url, "-o", "s3://photos/a", "--paused")
            expectFailure(.usage, try await scene.run("set", "1", "--name", "b"))
            expectFailure(.usage, try await scene.run("set", "1", "--remote-time"))
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "--all")
            let removed = try await scene.run("remove", "--with-files", "1")
            #expect(removed.everything.contains("s3://photos/a"), "\(removed.everything)")
            #expect(bucket.object("a")?.bytes == small.bytes())
            #expect(try await scene.downloads().isEmpty)
        }

        @Test func `rules and hooks of the daemon that are about files do not apply`() async throws
        {
            let scene = try scene()
            scene.workshop.serve(.resource(small))
            let folder = try scene.home.makeFolder("moved")
            let daemon = try await scene.startDaemon()
            try await scene.succeed("daemon", "hooks", "--move", "name=* -> \(folder)", "--unpack")
            try await scene.succeed("add", scene.workshop.url, "-o", "s3://photos/a")
            try await scene.succeed("wait", "--all")
            #expect(bucket.object("a")?.bytes == small.bytes())
            #expect(scene.home.list("moved").isEmpty)
            withExtendedLifetime(daemon) {}
        }

        @Test func `an exported download is added again`() async throws {
            let scene = try scene()
            for object in ["s3://photos/a%20b/c", "s3://photos/in/"] {
                try await scene.succeed("add", scene.workshop.url, "-o", object, "--paused")
            }
            let list = try await scene.succeed("export", "--list").output
            #expect(list.contains("output=s3://photos/a%20b/c\n"), "\(list)")
            #expect(list.contains("directory=s3://photos/in/\n"), "\(list)")
            try scene.workshop.folder.write("list.txt", list)
            try await scene.succeed("add", "-i", "list.txt", "--paused")
            let rows = try await scene.downloads()
            #expect(
                rows.map(\.destination) == rows.prefix(2).map(\.destination) + [
                    "s3://photos/a%20b/c", "s3://photos/in/",
                ]
            )
        }

        // MARK: - Over TCP

        private func add(
            _ network: NetworkScene,
            _ destination: String,
            _ settings: String = "{}"
        ) async throws -> NetworkScene.Answer {
            try await network.ask(
                "POST",
                "/v1/downloads",
                """
                {"downloads":[{"url":"\(network.scene.workshop.url)",\
                "destination":"\(destination)","settings":\(settings)}]}
                """
            )
        }

        @Test func `over TCP, a bucket is used only below a folder that is allowed`() async throws {
            let network = try await NetworkScene.make()
            let scene = network.scene
            try prepare(scene)
            scene.workshop.serve(.resource(small))
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let refused = try await add(network, "s3://photos/in/a")
            #expect(refused.status == 403, "\(refused.body)")
            #expect(refused.problem?.code == .notAllowed)
            try await scene.succeed("daemon", "allow", "--folder", "s3://photos/in")
            for outside in ["s3://photos/a", "s3://photos/input/a", "s3://other/in/a"] {
                #expect(try await add(network, outside).status == 403, "\(outside)")
            }
            // Without a folder of this machine, nothing else is allowed.
            #expect(try await add(network, "a").status == 403)
            for invalid in ["s3://photos/in/../a", "s3://k:s@photos/in/a"] {
                #expect(try await add(network, invalid).status == 400, "\(invalid)")
            }
            let added = try await add(
                network,
                "s3://photos/in/a",
                #"{"s3Endpoint":"http://127.0.0.1:1/","s3Anonymous":true}"#
            )
            #expect(added.status == 201, "\(added.body)")
            try await scene.succeed("wait", "--all")
            // The service is that of the daemon's user.
            #expect(bucket.object("in/a")?.bytes == small.bytes())
            #expect(!added.body.contains(bucket.credentials.secret))
        }

        @Test func `a folder of a bucket that is no longer allowed is not used`() async throws {
            let network = try await NetworkScene.make()
            let scene = network.scene
            try prepare(scene)
            scene.workshop.serve(.resource(small))
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            try await scene.succeed("daemon", "allow", "--folder", "s3://photos/in")
            let added = try await network.ask(
                "POST",
                "/v1/downloads",
                """
                {"downloads":[{"url":"\(scene.workshop.url)","destination":"s3://photos/in/a",\
                "isPaused":true}]}
                """
            )
            #expect(added.status == 201, "\(added.body)")
            try await scene.succeed("daemon", "allow", "--reset")
            let resumed = try await network.ask(
                "POST",
                "/v1/actions/resume",
                #"{"targets":["1"]}"#
            )
            #expect(resumed.status == 403, "\(resumed.body)")
            #expect(bucket.keys().isEmpty)
        }
    }
}
