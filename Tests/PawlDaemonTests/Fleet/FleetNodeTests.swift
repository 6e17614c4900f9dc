import PawlCore
import PawlDaemon
import PawlFleet
import PawlTesting
import PawlWire
import Synchronization
import Testing

/// The lease of a daemon.
@Suite(.timeLimit(.minutes(5)))
struct FleetNodeTests {
    /// Keeps what a node reports.
    private final class Reports: Sendable {
        private let events = Mutex<[FleetNode.Event]>([])
        private let added = Wakeup()

        var all: [FleetNode.Event] { events.withLock { $0 } }

        func add(_ event: FleetNode.Event) {
            events.withLock { $0.append(event) }
            added.send()
        }

        /// Returns when the node has reported `count` events.
        func wait(for count: Int) async -> [FleetNode.Event] {
            while all.count < count, !Task.isCancelled { await added.wait() }
            return all
        }
    }

    private static func identity(_ name: String, machine: String = "here") -> FleetNode.Identity {
        FleetNode.Identity(name: name, machine: machine, version: "1")
    }

    @Test func `a node joins, and gives everything back when its store is closed`() async throws {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        let reports = Reports()
        try store.join(as: Self.identity("a")) { reports.add($0) }
        let node = try #require(store.node)
        #expect(node.name == "a")
        #expect(reports.all == [.joined(node), .resumed])
        #expect(store.fleet?.clock.isValid == true)
        let id = try StoreScene.add("disk.iso", to: store)
        let taken = try store.write { try $0.ownership.take(1, known: []) }
        #expect(taken.map(\.row.id) == [id])
        try store.close()
        #expect(store.fleet?.clock.isValid == false)
        #expect(try await queue.run("SELECT state FROM node") == "gone\n")
        #expect(try await queue.run("SELECT home FROM download WHERE node IS NULL") == "a\n")
    }

    @Test func `a node that was declared lost joins again as another row`() async throws {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        let reports = Reports()
        try store.join(as: Self.identity("a")) { reports.add($0) }
        let first = try #require(store.node)
        try await queue.run("UPDATE node SET state = 'lost'")
        let events = await reports.wait(for: 5)
        let second = try #require(store.node)
        #expect(second.id > first.id)
        #expect(events == [.joined(first), .resumed, .lost, .joined(second), .resumed])
        #expect(store.fleet?.clock.isValid == true)
        try store.close()
    }

    @Test func `a name in use on another machine is refused`() async throws {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        try store.join(as: Self.identity("a"))
        let error = #expect(throws: DownloadError.self) {
            try store.join(as: Self.identity("a", machine: "elsewhere"))
        }
        #expect(error?.code == .alreadyRunning)
        // The lease of the first one continues.
        #expect(store.fleet?.clock.isValid == true)
        try store.close()
    }

    @Test func `the clock of a lease ends with it`() {
        let clock = LeaseClock()
        #expect(!clock.isValid)
        let now = LeaseClock.now()
        #expect(LeaseClock.now() >= now)
    }
}
