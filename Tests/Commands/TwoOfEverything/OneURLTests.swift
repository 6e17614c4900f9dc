import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

/// The same URL twice, in one command and in one list.
@Suite(.timeLimit(.minutes(5)))
struct OneURLTests {
    private let resource = Resource(size: 300_000)

    @Test func `a URL given twice in a command is downloaded once and reported`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, workshop.url, workshop.url + "#top")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.errors.contains("\(workshop.url) is given 3 times and is downloaded once"))
        #expect(workshop.folder.list() == [Workshop.name])
        #expect(workshop.origin.requests.count == 1)
    }

    @Test func `a URL given twice in a list is downloaded once`() async throws {
        let workshop = try Workshop(resource)
        let entry = "\(workshop.url)\n  output=a.iso\n"
        try workshop.folder.write("list", entry + entry)
        let run = try await workshop.run("-i", "list", workshop.url)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.errors.contains("is given twice and is downloaded once"), "\(run.errors)")
        #expect(Set(workshop.folder.list()) == ["a.iso", Workshop.name, "list"])
    }

    @Test func `a URL given twice with different options is an error`() async throws {
        let workshop = try Workshop(resource)
        let digest = String(repeating: "0", count: 64)
        let list = "\(workshop.url)\n\(workshop.url)\n  checksum=sha256=\(digest)\n"
        try workshop.folder.write("list", list)
        let run = try await workshop.run("-i", "list")
        expectFailure(.usage, run)
        #expect(run.errors.contains("give each its own output"))
        #expect(workshop.folder.list() == ["list"])
    }
}

extension DaemonSuites {
    /// The same URL twice in the queue.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonOneURLTests {
        /// Serves a file of which the last bytes are held until the latch is released.
        private func serveHeld(_ scene: DaemonScene) -> (resource: Resource, latch: Latch) {
            let (resource, latch) = (Resource(size: 12 << 20), Latch())
            scene.workshop.serve(.resource(resource).holdAfterBytes(10 << 20, until: latch))
            return (resource, latch)
        }

        @Test func `a second download of a URL waits for the first one and finds its file`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let (resource, latch) = serveHeld(scene)
            let url = scene.workshop.url
            try await scene.succeed("add", "-x", "1", url)
            await scene.workshop.origin.waitForBytes(9 << 20)
            try await scene.succeed("add", "-x", "1", url)
            try await scene.succeed("add", "-x", "1", "-o", Workshop.name, url)
            // Besides those that wait, another download can run.
            scene.workshop.serve(.resource(Resource(size: 1000)), at: "/other")
            try await scene.succeed("add", scene.workshop.origin.url("/other"))
            try await scene.succeed("wait", "4")
            #expect(try await scene.downloads().map(\.state).dropFirst().first == .waiting)
            #expect(scene.workshop.origin.requests.count == 2)
            latch.release()
            try await scene.succeed("wait", "--all")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            #expect(Set(scene.workshop.folder.list()) == [Workshop.name, "other"])
            let paths = Set(try await scene.downloads().prefix(3).map(\.path))
            #expect(paths == [scene.workshop.folder.path(Workshop.name)])
            withExtendedLifetime(daemon) {}
        }

        @Test func `a second download of a URL waits, however its folder is spelled`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let latch = serveHeld(scene).latch
            let (folder, url) = (scene.workshop.folder, scene.workshop.url)
            try folder.makeFolder("d")
            try folder.makeFolder("e")
            #expect(symlink("d", folder.path("link")) == 0)
            try await scene.succeed("add", "-x", "1", "-d", "d", url)
            await scene.workshop.origin.waitForBytes(9 << 20)
            for spelling in ["./d", "d//", "e/../d", "link", folder.path("d/.")] {
                try await scene.succeed("add", "-x", "1", "-d", spelling, url)
            }
            try await scene.succeed("add", "-x", "1", "-o", "e/../d/\(Workshop.name)", url)
            scene.workshop.serve(.resource(Resource(size: 1000)), at: "/other")
            try await scene.succeed("add", scene.workshop.origin.url("/other"))
            try await scene.succeed("wait", "8")
            let waiting = try await scene.downloads().dropFirst().prefix(6)
            #expect(waiting.allSatisfy { $0.state == .waiting && $0.problem == nil })
            latch.release()
            try await scene.succeed("wait", "--all")
            #expect(folder.list("d") == [Workshop.name])
            withExtendedLifetime(daemon) {}
        }

        @Test func `a download of a URL to another name does not wait`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let latch = serveHeld(scene).latch
            let url = scene.workshop.url
            try await scene.succeed("add", "-x", "1", url)
            await scene.workshop.origin.waitForBytes(9 << 20)
            try await scene.succeed("add", "-x", "1", "-o", "other.iso", url)
            try await FolderWatch.wait(for: "other.iso.part.pawl", in: scene.workshop.folder)
            latch.release()
            try await scene.succeed("wait", "--all")
            #expect(Set(scene.workshop.folder.list()) == [Workshop.name, "other.iso"])
            withExtendedLifetime(daemon) {}
        }

        @Test func `a download that another process runs is tried again`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let latch = serveHeld(scene).latch
            let url = scene.workshop.url
            let other = try scene.start("get", "-x", "1", url)
            await scene.workshop.origin.waitForBytes(9 << 20)
            try await FolderWatch.wait(for: Workshop.name + ".part.pawl", in: scene.workshop.folder)
            try await scene.succeed("add", "-x", "1", url)
            try await scene.waitForEvents(.retrying)
            let row = try #require(try await scene.downloads().first)
            #expect(row.state == .waiting)
            #expect(row.problem?.code == .alreadyRunning)
            latch.release()
            #expect(await other.waitForExit() == .code(0), "\(other.errors)")
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            #expect(scene.workshop.folder.list() == [Workshop.name])
            withExtendedLifetime(daemon) {}
        }

        @Test func `two downloads that are added at the same time both finish`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 300_000)))
            let daemon = try await scene.startDaemon()
            let socket = scene.home.path("run/pawl/daemon.sock")
            let one =
                #"{"url":"\#(scene.workshop.url)","destination":"\#(scene.workshop.folder.path)/"}"#
            let body = #"{"downloads":[\#(one),\#(one),\#(one)]}"#
            let type = ["-H", "Content-Type: application/json"]
            let added = try await ProcessRunner.run(
                "curl",
                ["-s", "--unix-socket", socket, "http://d/v1/downloads", "-d", body] + type
            )
            #expect(added.output.contains(#""downloads""#), "\(added.output)")
            try await scene.succeed("wait", "--all")
            #expect(try await scene.downloads().map(\.state) == [.finished, .finished, .finished])
            #expect(scene.workshop.folder.list() == [Workshop.name])
            withExtendedLifetime(daemon) {}
        }
    }
}
