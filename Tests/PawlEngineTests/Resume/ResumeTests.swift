import Glibc
import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// The table "Resume, before the first request": what is in the folder.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct ResumeTests {
    private let resource = Resource(size: Scene.size)
    private let partial = Scene.name + ".part"
    private let checkpoint = Scene.name + ".part.pawl"

    @Test(arguments: Scene.connectionCounts)
    func `a partial file with a valid checkpoint is resumed`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        #expect(scene.folder.list() == [partial, checkpoint])
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(scene.asked.allSatisfy { $0.status == 206 })
        #expect(!running.log.says("starting over"))
    }

    @Test func `the first progress shows resumed bytes as such`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        let bytes = try await scene.interrupt(.resource(resource), settings)
        let process = EngineProcess()
        let (monitors, looks) = (
            Observed<[DownloadMonitor]>([]), Observed<[DownloadProgress]>([])
        )
        let monitor = DownloadMonitor(time: process.engine.time) { _ in
            looks.update { $0 += monitors.value.map(\.progress) }
        }
        monitors.update { $0.append(monitor) }
        let job = DownloadJob(
            url: try scene.url(),
            destination: .file(scene.folder.path(Scene.name)),
            settings: settings,
            seed: 1
        )
        _ = try await DownloadDriver(job, engine: process.engine, monitor: monitor).run()
        monitors.update { $0 = [] }
        #expect(looks.value.map(\.completedBytes) == [bytes])
        #expect(looks.value.map(\.resumedBytes) == [bytes])
    }

    @Test func `received bytes do not include resumed bytes`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        let there = try await scene.interrupt(.resource(resource), settings)
        let running = try scene.start(settings)
        _ = try await running.file()
        #expect(running.monitor.receivedBytes == Scene.size - there)
        let again = try scene.start(settings)
        _ = try await again.file()
        #expect(again.monitor.receivedBytes == 0)
    }

    @Test func `received bytes stay counted when they are discarded`() async throws {
        let scene = try Scene()
        let other = Resource(size: Scene.size, seed: 9)
        let latch = Latch()
        let first = Reply.resource(resource).holdAfterBytes(Scene.heldBytes, until: latch)
            .afterBytes(Scene.heldBytes + 1, .reset)
        scene.serve(.sequence([first, .resource(other)]))
        let running = try scene.start(scene.settings(1))
        await running.waitForBytes(Scene.heldBytes)
        #expect(running.monitor.receivedBytes >= Scene.heldBytes)
        latch.release()
        _ = try await running.file()
        try scene.expectFile(other)
        #expect(running.monitor.receivedBytes >= Scene.heldBytes + Scene.size)
    }

    @Test(arguments: [(4, 1), (1, 4)])
    func `another number of connections resumes the bytes`(
        counts: (first: Int, second: Int)
    ) async throws {
        let scene = try Scene()
        try await scene.interrupt(.resource(resource), scene.settings(counts.first))
        try await scene.download(scene.settings(counts.second))
        try scene.expectFile(resource)
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    @Test(arguments: Scene.connectionCounts)
    func `without the partial file everything is fetched again`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        unlink(scene.folder.path(partial))
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(running.log.says("checkpoint's partial file is missing"))
    }

    @Test(arguments: Scene.connectionCounts)
    func `only proven bytes of a truncated partial file are kept`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        truncate(scene.folder.path(partial), 100_000)
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    @Test(arguments: Scene.connectionCounts)
    func `another file in place of the partial file is not trusted`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        unlink(scene.folder.path(partial))
        try scene.folder.write(partial, Resource(size: Scene.size, seed: 9).bytes())
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a range whose last bytes were changed is fetched again`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        var bytes = try scene.folder.read(partial)
        bytes[Int(Scene.heldBytes) - 100] ^= 0xFF
        try scene.folder.write(partial, bytes)
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.contains { ($0.range?.first ?? 0) == 0 })
    }

    enum Damage: String, CaseIterable, Sendable {
        case truncated, scribbled, empty, foreign, newer

        func applied(to bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .truncated: Array(bytes.prefix(3000))
            case .scribbled: bytes.prefix(32) + bytes.dropFirst(32).map { $0 ^ 0x5A }
            case .empty: [UInt8](repeating: 0, count: bytes.count)
            case .foreign: Array("{\"downloader\": \"another\"}".utf8)
            // The version follows the eight bytes of the magic number.
            case .newer: bytes.prefix(8) + [7, 0, 0, 0] + bytes.dropFirst(12)
            }
        }
    }

    @Test(arguments: Damage.allCases, Scene.connectionCounts)
    func `a partial file with an unusable checkpoint is set aside`(
        damage: Damage,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        let kept = try scene.folder.read(partial)
        let bytes = damage.applied(to: try scene.folder.read(checkpoint))
        try scene.folder.write(checkpoint, bytes)
        try await scene.download(settings)
        try scene.expectFile(resource, besides: [partial + ".1", checkpoint + ".1"])
        #expect(try scene.folder.read(partial + ".1") == kept)
        #expect(scene.asked.first?.range == nil)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a partial file without a checkpoint belongs to another tool and stays`(
        connections: Int
    ) async throws {
        let scene = try Scene(.resource(resource))
        let foreign = Resource(size: 300_000, seed: 9).bytes()
        try scene.folder.write(partial, foreign)
        try await scene.download(scene.settings(connections))
        try scene.expectFile(resource, besides: [partial])
        #expect(try scene.folder.read(partial) == foreign)
        #expect(scene.asked.first?.range == nil)
    }

    @Test func `a download beside another tool's partial file is resumed, too`() async throws {
        let scene = try Scene()
        let foreign = Resource(size: 300_000, seed: 9).bytes()
        try scene.folder.write(partial, foreign)
        let settings = scene.settings(1)
        try await scene.interrupt(.resource(resource), settings)
        try await scene.download(settings)
        try scene.expectFile(resource, besides: [partial])
        #expect(try scene.folder.read(partial) == foreign)
        #expect(scene.asked.map { $0.range?.first } == [Scene.heldBytes])
    }

    @Test func `if resuming is off, the partial file is set aside`() async throws {
        let scene = try Scene()
        var settings = scene.settings(4)
        try await scene.interrupt(.resource(resource), settings)
        let kept = try scene.folder.read(partial)
        settings.resumes = false
        try await scene.download(settings)
        try scene.expectFile(resource, besides: [partial + ".1", checkpoint + ".1"])
        #expect(try scene.folder.read(partial + ".1") == kept)
        #expect(scene.asked.first?.range == nil)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a partial file in use is not touched, and its owner is named`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        try await scene.interrupt(.resource(resource), settings)
        let latch = Latch()
        scene.serve(.resource(resource).holdAfterBytes(10_000, until: latch))
        let owner = try scene.start(settings)
        await latch.waitForArrivals()
        let error = try await scene.failure(settings)
        #expect(error.code == .alreadyRunning)
        #expect(error.message.contains("\(getpid())"))
        latch.release()
        _ = try await owner.file()
        try scene.expectFile(resource)
    }

    @Test(arguments: Scene.connectionCounts)
    func `two downloads of one target at once do no damage`(connections: Int) async throws {
        let latch = Latch()
        let scene = try Scene(.resource(resource).holdAfterBytes(100_000, until: latch))
        let settings = scene.settings(connections)
        let runs = [try scene.start(settings), try scene.start(settings)]
        await latch.waitForArrivals()
        for run in runs { await run.waitForBytes(100_000) }
        latch.release()
        var paths: Set<String> = []
        for run in runs {
            do throws(DownloadError) {
                paths.insert(try await run.file().path)
            } catch {
                #expect(error.code == .alreadyRunning)
            }
        }
        #expect(paths == [scene.folder.path(Scene.name)])
        try scene.expectFile(resource)
    }
}
