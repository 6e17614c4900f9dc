import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonKillTests {
        private static let count = 10
        private static let kills = 8

        /// Adds downloads and reads events while the daemon is killed repeatedly.
        @Test func `kills at random lose nothing acknowledged, and no event comes twice`()
            async throws
        {
            var random = TestSeed.generator("daemon kills")
            let scene = try DaemonScene(Workshop())
            let resources = (0..<Self.count).map { number in
                Resource(
                    size: Int64.random(in: 1_000...6_000_000, using: &random),
                    seed: UInt64(number)
                )
            }
            for (number, resource) in resources.enumerated() {
                scene.workshop.serve(.resource(resource).rate(12 << 20), at: "/\(number).bin")
            }
            var (added, heard) = (Set<Int64>(), [WireEvent]())
            for round in 0..<Self.kills {
                let daemon = try await scene.startDaemon("--jobs", "4")
                let reader = try scene.start(
                    "events",
                    "--json",
                    "--after",
                    "\(heard.last?.id ?? 0)"
                )
                if round * 2 < Self.count {
                    added.formUnion(try await add([round * 2, round * 2 + 1], to: scene))
                }
                let more = Int64.random(in: 0...1_500_000, using: &random)
                try await waitForBytes(more, or: added, scene)
                daemon.signal(SIGKILL)
                await daemon.waitForExit()
                await reader.waitForExit()
                heard += try events(reader.output)
            }
            let last = try await scene.startDaemon("--jobs", "4")
            for id in added { try await scene.succeed("wait", "\(id)") }
            for (number, resource) in resources.enumerated() {
                try expectExact("\(number).bin", resource, in: scene.workshop)
            }
            #expect(Set(try await scene.downloads().map(\.id)).isSuperset(of: added))
            let all = try await scene.events()
            expectSound(all)
            #expect(heard == Array(all.prefix(heard.count)), "what was heard has gaps or doubles")
            withExtendedLifetime(last) {}
        }

        @Test
        func `a download that crashes the daemon lets the others run first and is retried once`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let bad = Reply.resource(Resource(size: 1 << 20)).holdAfterBytes(1000, until: Latch())
            scene.workshop.serve(bad, at: "/bad")
            let small = Resource(size: 9)
            for name in ["/a", "/b"] { scene.workshop.serve(.resource(small), at: name) }
            var daemon = try await scene.startDaemon("--jobs", "1")
            let urls = ["/bad", "/a", "/b"].map { scene.workshop.origin.url($0) }
            try await scene.succeed("add", urls[0], urls[1], urls[2])
            for round in 1...3 {
                try await scene.waitForEvents(.started, count: round)
                daemon.signal(SIGKILL)
                await daemon.waitForExit()
                daemon = try await scene.startDaemon("--jobs", "1")
            }
            try await scene.succeed("wait", "a", "b")
            let started = try await scene.events().filter { $0.kind == .started }.map(\.name)
            #expect(started == ["bad", "bad", "bad", "a", "b", "bad"])
            #expect(try await scene.downloads().map(\.state) == [.running, .finished, .finished])
            withExtendedLifetime(daemon) {}
        }

        /// Returns when this many bytes were sent, or all of them.
        private func waitForBytes(
            _ count: Int64,
            or downloads: Set<Int64>,
            _ scene: DaemonScene
        ) async throws {
            let target = scene.workshop.origin.snapshot.bodyBytesSent + count
            let ids = downloads.map { "\($0)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await scene.workshop.origin.waitForBytes(target) }
                group.addTask {
                    _ = try await scene.workshop.run(["wait"] + ids, scene.settings)
                }
                try await group.next()
                group.cancelAll()
            }
        }

        private func add(_ numbers: [Int], to scene: DaemonScene) async throws -> [Int64] {
            let urls = numbers.filter { $0 < Self.count }.map {
                scene.workshop.origin.url("/\($0).bin")
            }
            let run = try await scene.workshop.run(["add", "--json"] + urls, scene.settings)
            #expect(run.status == .code(0), "\(run.errors)")
            return try WireJSON.decode(WireOutcome.self, from: run.output.utf8).downloads.map(\.id)
        }

        private func events(_ text: String) throws -> [WireEvent] {
            try text.split(separator: "\n").map {
                try WireJSON.decode(WireEvent.self, from: $0.utf8)
            }
        }
    }
}
