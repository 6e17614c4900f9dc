import Glibc
import PawlCore
import PawlEngine
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Many downloads whose server gives all of them the same name.
@Suite(.timeLimit(.minutes(5)))
struct ManyFilesTests {
    private static let count = 14

    private func body(_ number: Int) -> Resource { Resource(size: 1000, seed: UInt64(number)) }

    private func downloadAll(_ scene: Scene, _ process: EngineProcess) async throws {
        for number in 0..<Self.count {
            scene.origin.route("/\(number)/disk.bin", .resource(body(number)).omitValidators)
            let file = try await scene.download(
                scene.settings(1),
                from: "/\(number)/disk.bin",
                by: process
            )
            #expect(file.path == path(number, scene))
        }
    }

    private func path(_ number: Int, _ scene: Scene) -> String {
        scene.folder.path(number == 0 ? "disk.bin" : "disk.\(number).bin")
    }

    @Test func `each file gets its number, and the taken names are remembered`() async throws {
        let scene = try Scene()
        let process = EngineProcess()
        try await downloadAll(scene, process)
        let wanted = FilePath(scene.folder.path("disk.bin"))
        let next = process.engine.takenNames.next(from: TakenNames.firstNumber, of: wanted)
        // The last file was not there yet when a name was chosen for it.
        #expect(next == Self.count - 1)
    }

    @Test func `the file of an earlier download is recognized under its number`() async throws {
        let scene = try Scene()
        let process = EngineProcess()
        try await downloadAll(scene, process)
        for number in [3, 9, 11, Self.count - 1] {
            let file = try await scene.download(
                scene.settings(1),
                from: "/\(number)/disk.bin",
                by: process
            )
            #expect(file.wasAlreadyThere)
            #expect(file.path == path(number, scene))
        }
        // Another process knows nothing of the files.
        let file = try await scene.download(scene.settings(1), from: "/10/disk.bin")
        #expect(file.path == path(10, scene))
    }

    @Test func `a low name is used again as soon as its file was deleted`() async throws {
        let scene = try Scene()
        let process = EngineProcess()
        try await downloadAll(scene, process)
        try #require(unlink(path(3, scene)) == 0)
        scene.origin.route("/new/disk.bin", .resource(body(99)))
        let file = try await scene.download(scene.settings(1), from: "/new/disk.bin", by: process)
        #expect(file.path == path(3, scene))
    }

    @Test func `a download resumes its partial file among the numbers of others`() async throws {
        let scene = try Scene()
        let process = EngineProcess()
        try await downloadAll(scene, process)
        let resource = Resource(size: Scene.size)
        let latch = Latch()
        let url = "/large/disk.bin"
        scene.origin.route(url, .resource(resource).holdAfterBytes(Scene.heldBytes, until: latch))
        let running = try scene.start(scene.settings(1), from: url, by: process)
        await latch.waitForArrivals()
        await running.waitForBytes(Scene.heldBytes)
        running.cancel()
        _ = try? await running.file()
        #expect(scene.folder.exists("disk.\(Self.count).bin.part"))
        // Another file takes the finished name meanwhile.
        try scene.folder.write("disk.\(Self.count).bin", "another")
        scene.origin.route("/new/disk.bin", .resource(body(99)))
        _ = try await scene.download(scene.settings(1), from: "/new/disk.bin", by: process)
        scene.forgetRequests()
        scene.origin.route(url, .resource(resource))
        let again = try scene.start(scene.settings(1), from: url, by: process)
        _ = try await again.file()
        #expect(again.monitor.receivedBytes == Scene.size - Scene.heldBytes)
    }
}
