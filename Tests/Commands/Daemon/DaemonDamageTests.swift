import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    @Suite(.timeLimit(.minutes(5)), .serialized, .needsQueueFile)
    struct DaemonDamageTests {
        private let big = Resource(size: 24 << 20)
        private let store = "state/pawl/queue.sqlite"

        @Test func `if the queue is lost, partial files are found by their checkpoints`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await scene.leaveInTheMiddle(of: big)
            let before = scene.workshop.origin.snapshot
            try loseQueue(of: scene)
            let daemon = try await scene.startDaemon()
            #expect(daemon.errors.contains("is kept as"))
            let row = try #require(try await scene.downloads().first, "\(daemon.errors)")
            #expect(row.state == .paused)
            #expect(row.name == Workshop.name)
            #expect(row.url == scene.workshop.url)
            #expect(row.completedBytes > 1 << 20)
            #expect(row.totalBytes == big.size)
            #expect(row.problem?.title.contains("its settings are lost") == true)
            // The marker has the last id, which is not used again.
            #expect(row.id == 2)
            let shown = try await scene.succeed("show", "2")
            #expect(shown.output.contains("pawl resume"))
            #expect(try await scene.events().map(\.kind) == [.added, .paused])
            scene.workshop.serve(.resource(big))
            try await scene.succeed("resume", "2")
            try await scene.succeed("wait", "2")
            try expectExact(Workshop.name, big, in: scene.workshop)
            #expect(scene.workshop.folder.list() == [Workshop.name])
            let requests = scene.workshop.origin.requests.dropFirst(before.requests.count)
            #expect(requests.allSatisfy { $0.range != nil }, "it started over")
            #expect(try await scene.downloads().first?.problem == nil)
        }

        @Test func `each partial file becomes one download, however its folder was spelled`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await scene.leaveInTheMiddle(of: big)
            // Earlier versions recorded each spelling that a client chose.
            let record = "state/pawl/queue.sqlite.folders"
            var lines = try scene.home.readText(record)
            let folder = scene.workshop.folder.path
            for spelling in ["/.", "//", "/./."] { lines += "\(folder)\(spelling)/\n" }
            let link = scene.home.path("link")
            symlink(folder, link)
            lines += "\(link)/\n"
            try scene.home.write(record, lines)
            try loseQueue(of: scene)
            let daemon = try await scene.startDaemon()
            #expect(try await scene.downloads().count == 1, "\(daemon.errors)")
        }

        @Test func `only the user resumes a rebuilt download whose restrictions are lost`()
            async throws
        {
            let first = try await NetworkScene.make()
            let scene = first.scene
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            scene.serveHeld(big)
            let body =
                #"{"downloads":[{"url":"\#(scene.workshop.url)","destination":"","#
                + #""settings":{"connections":1}}]}"#
            #expect(try await first.ask("POST", "/v1/downloads", body).status == 201)
            let partial = scene.home.path("Downloads/\(Workshop.name).part")
            while try await scene.run("inspect", partial).status != .code(0) {
                try Task.checkCancellation()
            }
            first.daemon.signal(SIGKILL)
            await first.daemon.waitForExit()
            try loseQueue(of: scene)
            let daemon = try await scene.startDaemon("--listen", "127.0.0.1:0")
            let network = try await NetworkScene.attach(to: daemon, of: scene)
            let row = try #require(try await scene.downloads().first, "\(daemon.errors)")
            #expect(row.problem?.code == .settingsLost)
            let connections = scene.workshop.origin.snapshot.acceptedConnections
            let named = #"{"targets":["\#(row.id)"]}"#
            let refused = try await network.ask("POST", "/v1/actions/resume", named)
            #expect(refused.status == 403, "\(refused.body)")
            #expect(refused.problem?.code == .notAllowed)
            let all = try await network.ask("POST", "/v1/actions/resume", #"{"all":true}"#)
            #expect(all.status == 200, "\(all.body)")
            #expect(try await scene.downloads().map(\.state) == [.paused])
            #expect(scene.workshop.origin.snapshot.acceptedConnections == connections)
            scene.workshop.serve(.resource(big))
            try await scene.succeed("resume", "\(row.id)")
            try await scene.succeed("wait", "\(row.id)")
            #expect(try scene.home.read("Downloads/\(Workshop.name)") == big.bytes())
        }

        private func loseQueue(of scene: DaemonScene) throws {
            for suffix in ["-wal", "-shm"] where scene.home.exists(store + suffix) {
                unlink(scene.home.path(store + suffix))
            }
            try scene.home.write(store, Array(repeating: UInt8(ascii: "x"), count: 20_000))
        }

        @Test func `a partial file of pawl get is not added to the queue`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(
                .resource(big).holdAfterBytes(10 << 20, until: Latch()),
                at: "/own.iso"
            )
            let own = try scene.start(
                "get",
                "-x",
                "1",
                scene.workshop.origin.url("/own.iso")
            )
            try await FolderWatch.wait(for: "own.iso.part.pawl", in: scene.workshop.folder)
            while try await scene.run("inspect", "own.iso.part").status != .code(0) {
                try Task.checkCancellation()
            }
            own.signal(SIGKILL)
            await own.waitForExit()
            try await scene.leaveInTheMiddle(of: big)
            try loseQueue(of: scene)
            let daemon = try await scene.startDaemon()
            #expect(try await scene.downloads().map(\.name) == [Workshop.name])
            #expect(scene.workshop.folder.exists("own.iso.part"))
            #expect(daemon.errors.contains("paused because their settings are lost: 1"))
        }

        @Test func `downloads that a damaged queue still contains resume by themselves`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await scene.leaveInTheMiddle(of: big)
            try await scene.succeed("daemon", "start")
            try await scene.succeed("pause", "--all")
            try await scene.succeed("daemon", "stop")
            var bytes = try scene.home.read(store)
            let start = try #require(TestStore.emptyPage(of: bytes))
            for index in start..<(start + 300) { bytes[index] = 0xA5 }
            try scene.home.write(store, bytes)
            try scene.home.write(store + ".open", [])
            let daemon = try await scene.startDaemon()
            #expect(daemon.errors.contains("that continue: 1, downloads paused"))
            #expect(try await scene.downloads().map(\.id) == [1], "\(daemon.errors)")
            scene.workshop.serve(.resource(big))
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, big, in: scene.workshop)
        }
    }
}
