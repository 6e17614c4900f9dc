import PawlCore
import PawlDaemon
import PawlFleet
import PawlTesting
import Testing

/// The leases of nodes in the database.
@Suite(.timeLimit(.minutes(5)))
struct NodeTableTests {
    private func failure(
        _ candidate: NodeTable.Candidate,
        _ scene: FleetScene
    ) -> DownloadError? {
        do throws(DownloadError) {
            _ = try scene.store.write { try $0.nodes.join(candidate) }
            return nil
        } catch {
            return error
        }
    }

    @Test func `a name is refused to another machine while its lease lives`() async throws {
        let scene = try await FleetScene()
        let other = FleetScene.candidate("first", machine: "elsewhere", process: "other")
        let refusal = failure(other, scene)
        #expect(refusal?.code == .alreadyRunning)
        #expect(refusal?.advice.contains("name of its own") == true)
        try await scene.expire(scene.first)
        #expect(failure(other, scene) == nil)
        let nodes = try scene.store.write { try $0.nodes.list() }
        #expect(nodes.map(\.state) == [.lost, .alive, .alive])
        #expect(nodes.map(\.node.name) == ["first", "second", "first"])
        #expect(nodes[2].remaining <= LeasePlanner.length && nodes[2].remaining > .seconds(5))
    }

    @Test func `the next process of a node replaces it at once`() async throws {
        let scene = try await FleetScene()
        let next = FleetScene.candidate("first", process: "next")
        let lease = try scene.store.write { try $0.nodes.join(next) }
        #expect(lease.node.id > scene.second.id)
        #expect(try scene.store.write { try $0.nodes.renew(scene.first.id) } == nil)
        let until = try scene.store.write { try $0.nodes.renew(lease.node.id) }
        #expect(until.map { $0 >= lease.until } == true)
    }

    @Test func `a late request to join is refused`() async throws {
        let scene = try await FleetScene()
        func candidate(_ attempt: Int) -> NodeTable.Candidate {
            FleetScene.candidate("first", attempt: attempt)
        }
        #expect(failure(candidate(3), scene) == nil)
        for attempt in [2, 3] { #expect(failure(candidate(attempt), scene) != nil) }
        let newest = try scene.store.write { try $0.nodes.list() }.last
        let id = try #require(newest).node.id
        try scene.store.write { try $0.nodes.gone(id) }
        #expect(failure(candidate(3), scene) != nil)
        #expect(failure(candidate(4), scene) == nil)
    }

    @Test func `an expired lease is renewed, unless the node is lost`() async throws {
        let scene = try await FleetScene()
        try await scene.expire(scene.first)
        #expect(try scene.store.write { try $0.nodes.renew(scene.first.id) } != nil)
        try scene.store.write { try $0.nodes.drain(scene.first.id) }
        #expect(try scene.store.write { try $0.nodes.renew(scene.first.id) } != nil)
        #expect(try scene.store.write { try $0.nodes.list() }.first?.state == .draining)
        try scene.store.write { try $0.nodes.gone(scene.first.id) }
        #expect(try scene.store.write { try $0.nodes.renew(scene.first.id) } == nil)
    }

    @Test func `a node declares another lost only under a fresh lease that it knows`() async throws
    {
        let scene = try await FleetScene()
        // The server may have been started a moment ago.
        try await scene.queue.run(
            """
            DO $$ BEGIN
                PERFORM pg_sleep(greatest(0, extract(epoch FROM pg_postmaster_start_time()
                    + interval '21 s' - clock_timestamp())));
            END $$
            """
        )
        #expect(try scene.store.write { try $0.nodes.renew(scene.first.id) } != nil)
        func declare(knowing lease: Moment) throws -> [Int64] {
            try scene.store.write {
                try $0.nodes.declareLost(by: scene.second.id, knowing: lease)
            }
        }
        let before = try #require(try scene.store.write { try $0.nodes.renew(scene.second.id) })
        // No lease has expired.
        #expect(try declare(knowing: before).isEmpty)
        try await scene.expire(scene.first)
        // Its own lease is another one by now.
        let now = try #require(try scene.store.write { try $0.nodes.renew(scene.second.id) })
        #expect(now > before)
        #expect(try declare(knowing: before).isEmpty)
        #expect(try declare(knowing: now) == [scene.first.id])
        #expect(try declare(knowing: now).isEmpty)
        let last = try scene.store.write { try $0.nodes.join(FleetScene.candidate("third")) }
        try await scene.expire(last.node)
        // It has not renewed its own lease for a while.
        try await scene.queue.run(
            "UPDATE node SET leaseUntil = leaseUntil - 8000000 WHERE id = \(scene.second.id)"
        )
        let old = Moment(nanoseconds: now.nanoseconds - 8_000_000_000)
        #expect(try declare(knowing: old).isEmpty)
        let again = try #require(try scene.store.write { try $0.nodes.renew(scene.second.id) })
        #expect(try declare(knowing: again) == [last.node.id])
    }
}
