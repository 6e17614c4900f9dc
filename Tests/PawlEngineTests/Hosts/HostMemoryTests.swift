import PawlCore
import PawlEngine
import PawlTesting
import Synchronization
import Testing

/// The second download begins where the first one ended.
@Suite(.timeLimit(.minutes(5)), .alone)
struct HostMemoryTests {
    private let resource = Resource(size: 12 << 20)

    /// A memory without a file.
    private final class Memory: HostRemembering {
        private let records = Mutex<[HostPath: HostRecord]>([:])

        var all: [HostRecord] { records.withLock { Array($0.values) } }

        func record(of path: HostPath) -> HostRecord? { records.withLock { $0[path] } }

        func learn(_ record: HostRecord, of path: HostPath) {
            records.withLock { $0[path] = record }
        }
    }

    private func process(_ memory: Memory) -> EngineProcess {
        var settings = EngineSettings()
        settings.hosts = memory
        return EngineProcess(settings)
    }

    private func settings(_ connections: ConnectionCount) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = connections
        return settings
    }

    @Test func `the connections that a server with slow connections needs are remembered`()
        async throws
    {
        var (memory, scene) = (Memory(), try Scene())
        // On a busy machine, the speed may not seem to increase with the connections.
        let hasLearned = try await quietRound {
            // 1.5 s with all connections, eight times that with two.
            (memory, scene) = (Memory(), try Scene(.resource(resource).rate(500_000)))
            try await scene.download(settings(.automatic), by: process(memory))
            return memory.all.contains { ($0.best?.connections ?? 0) >= 8 }
        }
        #expect(hasLearned)
        let record = try #require(memory.all.first)
        #expect(memory.all.count == 1)
        let best = try #require(record.best)
        #expect(record.limit == nil)
        #expect(record.roundTrip != nil)

        // The second download opens them after its first response, without a measurement.
        scene.forgetRequests()
        let latch = Latch()
        scene.serve(.resource(resource).holdAfterBytes(1_000, until: latch))
        let second = try scene.start(settings(.automatic), to: "second.bin", by: process(memory))
        await latch.waitForArrivals(best.connections)
        latch.release()
        _ = try await second.file()
        try scene.expectFile(resource, name: "second.bin", besides: [Scene.name])
    }

    @Test(arguments: [ConnectionCount.automatic, .fixed(8)])
    func `a server's limit is remembered`(connections: ConnectionCount) async throws {
        let memory = Memory()
        let reply = Reply.resource(resource).rate(2_000_000)
        let (first, second) = (HostGate(limit: 3), HostGate(limit: 3))
        let scene = try Scene(reply.admitted(by: first))
        try await scene.download(settings(.fixed(8)), by: process(memory))
        #expect(first.refused > 0)
        #expect(memory.all.map(\.limit) == [3])

        let latch = Latch()
        scene.serve(reply.holdAfterBytes(1_000, until: latch).admitted(by: second))
        let task = try scene.start(settings(connections), to: "second.bin", by: process(memory))
        await latch.waitForArrivals(3)
        // After half a second it tries one more, and then not for ten seconds. The first download
        // had at least five refusals.
        #expect(second.refused <= 3)
        latch.release()
        _ = try await task.file()
        try scene.expectFile(resource, name: "second.bin", besides: [Scene.name])
        #expect(second.peak == 3)
        // Connections that replace closed ones may be refused, too.
        #expect(second.refused < first.refused)
    }

    @Test func `a share of a server's limit is not remembered`() async throws {
        let (memory, latch) = (Memory(), Latch())
        let process = process(memory)
        let gate = HostGate(limit: 3)
        let scene = try Scene(.resource(resource).rate(2_000_000).admitted(by: gate))
        scene.origin.route("/other", .resource(resource).holdAfterBytes(1_000, until: latch))
        var other = settings(.fixed(1))
        other.remembersHosts = false
        let running = try scene.start(other, from: "/other", to: "other", by: process)
        await latch.waitForArrivals()
        try await scene.download(settings(.fixed(8)), by: process)
        #expect(gate.refused > 0)
        latch.release()
        _ = try await running.file()
        #expect(memory.all.isEmpty)
        // Alone, it learns the limit.
        try await scene.download(settings(.fixed(8)), to: "alone.bin", by: process)
        #expect(memory.all.map(\.limit) == [3])
    }

    @Test func `a download that does not remember hosts leaves no record`() async throws {
        let memory = Memory()
        let gate = HostGate(limit: 3)
        let scene = try Scene(.resource(resource).rate(2_000_000).admitted(by: gate))
        var settings = settings(.fixed(8))
        settings.remembersHosts = false
        try await scene.download(settings, by: process(memory))
        #expect(gate.refused > 0)
        #expect(memory.all.isEmpty)
    }

    @Test(arguments: [ConnectionCount.automatic, .fixed(8)])
    func `a limit that is gone is noticed`(connections: ConnectionCount) async throws {
        let memory = Memory()
        let scene = try Scene()
        memory.learn(
            HostRecord(
                best: ConnectionSpeed(
                    connections: 2,
                    bytesPerSecond: 1_400_000,
                    isProven: true
                ),
                limit: 2
            ),
            of: HostPath(
                host: "127.0.0.1:\(scene.origin.port)",
                localAddress: IPAddress("127.0.0.1")
            )
        )
        scene.serve(.resource(resource).rate(700_000))
        try await scene.download(settings(connections), by: process(memory))
        try scene.expectFile(resource)
        #expect(scene.asked.count >= 8)
        #expect(memory.all.allSatisfy { $0.limit == nil })
    }

    @Test func `small files and short downloads are not remembered`() async throws {
        // On a busy machine, the second download may not be short.
        let isForgotten = try await quietRound {
            let memory = Memory()
            let process = process(memory)
            let scene = try Scene(.resource(Resource(size: 900_000)).rate(1_000_000))
            try await scene.download(settings(.fixed(2)), by: process)
            #expect(memory.all.isEmpty)
            scene.serve(.resource(resource))
            try await scene.download(settings(.automatic), to: "second.bin", by: process)
            return memory.all.isEmpty
        }
        #expect(isForgotten)
    }

    @Test func `a speed that Pawl itself limits is not remembered`() async throws {
        let memory = Memory()
        var limits = EngineSettings()
        limits.hosts = memory
        limits.limitBytesPerSecond = 8_000_000
        let scene = try Scene(.resource(resource))
        try await scene.download(settings(.automatic), by: EngineProcess(limits))
        #expect(memory.all.allSatisfy { $0.best == nil })
    }
}
