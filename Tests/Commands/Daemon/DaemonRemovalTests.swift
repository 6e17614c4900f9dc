import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Removing files of downloads that were added over TCP after their folder was replaced:
    /// nothing outside is changed.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonRemovalTests {
        private let resource = Resource(size: 300_000)

        /// A foreign file with the name of the file, and with each name of an unfinished download.
        private struct Decoy {
            let home: ScratchFolder
            let outside: String

            init(_ home: ScratchFolder) throws {
                self.home = home
                outside = try home.makeFolder("outside")
            }

            /// Copies the files in the folder and replaces the folder by a link.
            func takePlace(of folder: String) throws {
                for name in home.list(folder) {
                    try home.write("outside/\(name)", try home.read("\(folder)/\(name)"))
                }
                #expect(rename(home.path(folder), home.path("moved")) == 0)
                #expect(symlink(outside, home.path(folder)) == 0)
            }
        }

        private func scene(_ reply: Reply) async throws -> NetworkScene {
            let network = try await NetworkScene.make()
            network.scene.workshop.serve(reply)
            try await network.scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let body =
                #"{"downloads":[{"url":"\#(network.scene.workshop.url)","destination":"sub/a.iso"}]}"#
            #expect(try await network.ask("POST", "/v1/downloads", body).status == 201)
            return network
        }

        private func remove(_ network: NetworkScene, _ action: String) async throws {
            let target = #"{"targets":["1"]}"#
            let answer = try await network.ask("POST", "/v1/actions/\(action)", target)
            #expect(answer.status == 200, "\(answer.body)")
        }

        private func stop(_ network: NetworkScene) async throws {
            try await network.scene.succeed("daemon", "stop")
            await network.daemon.waitForExit()
        }

        @Test func `a finished file is removed only below the root`() async throws {
            let network = try await scene(.resource(resource))
            let home = network.scene.home
            try await network.scene.succeed("wait", "1")
            let decoy = try Decoy(home)
            try decoy.takePlace(of: "Downloads/sub")
            let run = try await network.scene.workshop.run(
                ["remove", "1", "--with-files"],
                network.scene.settings
            )
            // It is removed from the list, and the remaining files are reported.
            #expect(run.output == "1\tremoved, but some of its files remain\ta.iso\n")
            #expect(run.errors.contains("is not inside"), "\(run.errors)")
            #expect(run.status == .code(ErrorCode.notAllowed.exitStatus))
            try await stop(network)
            #expect(home.list("outside") == ["a.iso"])
            #expect(home.list("moved") == ["a.iso"])
            #expect(network.daemon.errors.contains("was not removed"))
        }

        @Test func `the result of removing files is reported correctly`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            scene.workshop.serve(.resource(resource))
            for id in ["1", "2"] {
                try await scene.succeed("add", "-o", "a.iso", scene.workshop.url)
                try await scene.succeed("wait", id)
            }
            // The second has found the file of the first.
            #expect(scene.workshop.folder.list().filter { $0.hasPrefix("a") } == ["a.iso"])
            let both = try await scene.succeed("remove", "--with-files", "1", "2")
            #expect(
                both.output
                    == "1\tremoved with its files\ta.iso\n2\tremoved with its files\ta.iso\n"
            )
            #expect(both.errors.isEmpty)
            #expect(!scene.workshop.folder.exists("a.iso"))
            try scene.workshop.folder.write("a.iso", "thesis")
            try await scene.succeed("add", "--if-exists", "skip", "-o", "a.iso", scene.workshop.url)
            try await scene.succeed("wait", "3")
            let kept = try await scene.run("remove", "--with-files", "3")
            #expect(kept.output == "3\tremoved, but some of its files remain\ta.iso\n")
            #expect(kept.errors.contains("is not the downloaded file and was not removed"))
            #expect(try scene.workshop.folder.readText("a.iso") == "thesis")
            withExtendedLifetime(daemon) {}
        }

        /// A disk that is not mounted, for example.
        @Test(arguments: ["cancel", "remove"])
        func `files in a folder that was missing for a while are removed later`(action: String)
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            scene.workshop.serve(
                .resource(Resource(size: 24 << 20)).holdAfterBytes(10 << 20, until: Latch())
            )
            let folder = try scene.home.makeFolder("disk")
            try await scene.succeed("add", "-o", "\(folder)/a.iso", scene.workshop.url)
            await scene.workshop.origin.waitForBytes(10 << 20)
            // Bytes that were sent may not have been received yet: the file gets its name with the
            // first checkpoint.
            try await scene.home.wait(in: "disk") { !$0.list("disk").isEmpty }
            try await scene.succeed("pause", "1")
            let away = scene.home.path("away")
            #expect(rename(folder, away) == 0)
            let words = action == "cancel" ? ["cancel", "1"] : ["remove", "--with-files", "1"]
            let first = try await scene.workshop.run(words, scene.settings)
            #expect(first.status != .code(0), "\(first.output)")
            #expect(first.errors.contains("does not exist"), "\(first.errors)")
            #expect(rename(away, folder) == 0)
            if action == "cancel" {
                let second = try await scene.succeed("remove", "--with-files", "1")
                #expect(second.output.contains("removed with its files"))
            } else {
                try await scene.succeed("daemon", "restart")
            }
            // After a restart nobody waits for it.
            try await scene.home.wait(in: "disk") { $0.list("disk").isEmpty }
            withExtendedLifetime(daemon) {}
        }

        @Test func `the remaining files are removed only below the root`() async throws {
            let latch = Latch()
            let network = try await scene(
                .resource(resource).holdAfterBytes(200_000, until: latch)
            )
            let home = network.scene.home
            await network.scene.workshop.origin.waitForBytes(200_000)
            // Sent is not received.
            try await home.wait(for: "Downloads/sub/a.iso.part")
            try await network.scene.succeed("pause", "1")
            try await stop(network)
            latch.release()
            let names = ["a.iso.part", "a.iso.part.pawl"]
            #expect(home.list("Downloads/sub") == names)
            let decoy = try Decoy(home)
            try decoy.takePlace(of: "Downloads/sub")
            let second = try await network.scene.startDaemon()
            let run = try await network.scene.workshop.run(["cancel", "1"], network.scene.settings)
            #expect(run.output == "1\tcancelled\ta.iso\n")
            #expect(run.status == .code(ErrorCode.notAllowed.exitStatus), "\(run.errors)")
            try await network.scene.succeed("daemon", "stop")
            await second.waitForExit()
            #expect(home.list("outside") == names)
            #expect(home.list("moved") == names)
            #expect(second.errors.contains("was not removed"))
        }

        @Test func `if nothing has changed, all files are removed`() async throws {
            let network = try await scene(.resource(resource))
            let home = network.scene.home
            try await network.scene.succeed("wait", "1")
            #expect(home.list("Downloads/sub") == ["a.iso"])
            try await remove(network, "remove-with-files")
            // A running download.
            let latch = Latch()
            network.scene.workshop.serve(.resource(resource).holdAfterBytes(200_000, until: latch))
            let body =
                #"{"downloads":[{"url":"\#(network.scene.workshop.url)","destination":"sub/b.iso"}]}"#
            #expect(try await network.ask("POST", "/v1/downloads", body).status == 201)
            await network.scene.workshop.origin.waitForBytes(500_000)
            // A paused download.
            try await network.scene.succeed("pause", "2")
            try await network.scene.succeed("remove", "2", "--with-files")
            try await stop(network)
            latch.release()
            #expect(home.list("Downloads/sub").isEmpty)
            #expect(!network.daemon.errors.contains("was not removed"))
        }
    }
}
