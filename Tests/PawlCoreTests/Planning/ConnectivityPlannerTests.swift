import FoundationEssentials
import PawlCore
import PawlTesting
import Testing

/// Tests of how a download reacts to the loss and return of the network, driven by events.
@Suite(.timeLimit(.minutes(5)))
struct ConnectivityPlannerTests {
    private static let total: Int64 = 1 << 20
    private let lost = TransferFailure(.connectionLost, "")
    private let refused = TransferFailure(.cannotConnect, "")
    private let nameless = TransferFailure(.nameNotResolved, "")

    /// Returns settings that tolerate no failure.
    private func settings(connections: Int = 1, waits: Bool = true) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        settings.retries = 0
        settings.waitsForConnectivity = waits
        return settings
    }

    private var unpaid: DownloadSettings {
        var settings = settings(waits: false)
        settings.allowsExpensiveNetwork = false
        return settings
    }

    private var pinned: Representation {
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        return pinned
    }

    private var whole: ResponseHead {
        ResponseHead(
            200,
            ["Content-Length": "\(Self.total)", "Accept-Ranges": "bytes", "ETag": "\"a\""]
        )
    }

    private func run(_ settings: DownloadSettings, _ url: String? = nil) -> PlannerRun {
        PlannerRun(settings, of: pinned, url: url.flatMap { URL(string: $0) } ?? PlannerRun.url)
    }

    private func paid(_ isMetered: Bool?) -> NetworkPath {
        NetworkPath(hasIPv4Route: true, hasIPv6Route: true, isMetered: isMetered)
    }

    private func sample(_ planned: PlannedTransfer, _ offset: Int64) -> TransferSample {
        TransferSample(id: planned.id, offset: offset)
    }

    /// Returns a run whose first transfer has received half of the file.
    private func half(_ settings: DownloadSettings) throws -> (PlannerRun, PlannedTransfer) {
        var run = run(settings)
        run.report(.networkChanged(.unknown))
        let first = try #require(run.newest)
        run.answer(first.id, whole)
        run.pass(.seconds(1), sample(first, Self.total / 2))
        return (run, first)
    }

    // MARK: - No route

    @Test func `a failure without a route does not count, and the download waits`() throws {
        let (begun, first) = try half(settings())
        var run = begun
        run.report(.networkChanged(.none))
        run.end(first.id, at: Self.total / 2, .failed(lost))
        #expect(run.error == nil)
        #expect(run.opened.count == 1)
        #expect(run.planner.isWaitingForConnectivity)
        #expect(!run.planner.isWaitingToRetry)
        run.pass(.seconds(20))
        #expect(run.opened.count == 1)
        run.report(.networkChanged(.unknown))
        #expect(run.planner.isWaitingForConnectivity, "the download resumes after a random delay")
        run.waitForNetwork(atMost: .milliseconds(500))
        let second = try #require(run.newest)
        #expect(run.opened.count == 2)
        #expect(second.start == Self.total / 2)
        #expect(run.planner.isWaitingForConnectivity, "no response has arrived yet")
        run.answerAsAsked(second, total: Self.total)
        #expect(!run.planner.isWaitingForConnectivity)
        #expect(run.log.contains { $0.contains("waiting until there is one") })
    }

    @Test func `a failure without a route counts if the setting is off`() throws {
        let (begun, first) = try half(settings(waits: false))
        var run = begun
        run.report(.networkChanged(.none))
        run.end(first.id, at: Self.total / 2, .failed(lost))
        #expect(run.error?.code == .network)
        #expect(!run.planner.isWaitingForConnectivity)
    }

    @Test(arguments: ["name", "refusal"])
    func `the first request may fail without a route`(kind: String) throws {
        var run = run(settings())
        run.report(.networkChanged(.none))
        let failure = kind == "name" ? nameless : refused
        run.end(try #require(run.newest).id, at: 0, .failed(failure))
        #expect(run.error == nil)
        #expect(run.planner.isWaitingForConnectivity)
        run.report(.networkChanged(.unknown))
        run.waitForNetwork(atMost: .milliseconds(500))
        #expect(run.opened.count == 2)
    }

    @Test func `a failure counts if there is a route`() throws {
        var run = run(settings())
        run.report(.networkChanged(.unknown))
        run.end(try #require(run.newest).id, at: 0, .failed(refused))
        #expect(run.error?.code == .network)
        #expect(!run.planner.isWaitingForConnectivity)
    }

    @Test func `an error response counts even without a route`() throws {
        var run = run(settings())
        run.report(.networkChanged(.none))
        run.answer(try #require(run.newest).id, ResponseHead(404, [:]))
        #expect(run.error?.code == .notFound)
    }

    @Test(arguments: ["http://127.0.0.1/a", "http://localhost:8080/a", "http://[::1]/a"])
    func `a request to this machine never waits for a route`(url: String) throws {
        var run = run(settings(), url)
        run.report(.networkChanged(.none))
        run.end(try #require(run.newest).id, at: 0, .failed(refused))
        #expect(run.error?.code == .network)
    }

    @Test func `an address of the other family needs its own route`() throws {
        var run = run(settings(), "http://[2001:db8::1]/a")
        run.report(.networkChanged(NetworkPath(hasIPv4Route: true, hasIPv6Route: false)))
        run.end(try #require(run.newest).id, at: 0, .failed(refused))
        #expect(run.planner.isWaitingForConnectivity)
    }

    @Test func `the planner still tries once per minute without a route`() throws {
        var run = run(settings())
        run.report(.networkChanged(.none))
        for tries in 1...3 {
            #expect(run.opened.count == tries)
            run.end(try #require(run.newest).id, at: 0, .failed(refused))
            #expect(run.planner.wakeAt(run.now) == run.now + .seconds(60))
            run.waitForNetwork(atMost: .seconds(60))
        }
        #expect(run.error == nil)
    }

    @Test func `the planner closes a silent connection a second after its route is lost`() throws {
        let (begun, first) = try half(settings())
        var run = begun
        run.report(.networkChanged(.none))
        run.pass(.milliseconds(900), sample(first, Self.total / 2))
        #expect(run.closed.isEmpty)
        run.pass(.milliseconds(200), sample(first, Self.total / 2))
        #expect(run.closed == [first.id])
        run.end(first.id, at: Self.total / 2, .cancelled)
        #expect(run.planner.isWaitingForConnectivity)
        #expect(run.error == nil)
    }

    @Test func `bytes that arrive without a route keep their connection open`() throws {
        let (begun, first) = try half(settings())
        var run = begun
        run.report(.networkChanged(.none))
        for step in 1...5 {
            run.pass(.milliseconds(900), sample(first, Self.total / 2 + Int64(step)))
        }
        #expect(run.closed.isEmpty)
    }

    @Test func `a route that returns within a second has no effect`() throws {
        let (begun, first) = try half(settings())
        var run = begun
        run.report(.networkChanged(.none))
        run.pass(.milliseconds(900), sample(first, Self.total / 2))
        run.report(.networkChanged(.unknown))
        run.pass(.seconds(4), sample(first, Self.total / 2 + 1))
        run.pass(.seconds(20), sample(first, Self.total / 2 + 1))
        #expect(run.closed.isEmpty)
    }

    @Test func `the planner replaces a connection that an outage has killed`() throws {
        let (begun, first) = try half(settings())
        var run = begun
        run.report(.networkChanged(.none))
        run.pass(.milliseconds(500), sample(first, Self.total / 2))
        run.report(.networkChanged(.unknown))
        run.pass(.seconds(4), sample(first, Self.total / 2))
        #expect(run.closed.isEmpty)
        run.pass(.seconds(2), sample(first, Self.total / 2))
        #expect(run.closed == [first.id])
        run.end(first.id, at: Self.total / 2, .cancelled)
        #expect(run.opened.count == 2)
        #expect(run.error == nil)
    }

    @Test func `a failure reported after the route returns belongs to the outage`() throws {
        let (begun, first) = try half(settings())
        var run = begun
        run.pass(.seconds(1), sample(first, Self.total / 2))
        run.report(.networkChanged(.none))
        run.report(.networkChanged(.unknown))
        run.end(first.id, at: Self.total / 2, .failed(lost))
        #expect(run.error == nil)
        run.waitForNetwork(atMost: .seconds(1))
        #expect(run.opened.count == 2)
    }

    @Test func `name resolution may fail for a while after the route returns`() throws {
        var run = run(settings())
        run.report(.networkChanged(.none))
        run.end(try #require(run.newest).id, at: 0, .failed(nameless))
        run.report(.networkChanged(.unknown))
        let back = run.now
        var tries = 1
        while run.error == nil, tries < 100 {
            run.waitForNetwork(atMost: .seconds(1))
            run.end(try #require(run.newest).id, at: 0, .failed(nameless))
            tries += 1
        }
        #expect(run.error?.code == .nameNotResolved)
        #expect(run.now - back >= .seconds(10))
        #expect(run.now - back < .seconds(12))
        #expect((10...22).contains(tries))
    }

    @Test func `waiting downloads do not all resume at the same moment`() throws {
        var moments: Set<Moment> = []
        for seed in UInt64(1)...50 {
            var run = PlannerRun(settings(), of: pinned, seed: seed)
            run.report(.networkChanged(.none))
            run.end(try #require(run.newest).id, at: 0, .failed(refused))
            run.report(.networkChanged(.unknown))
            moments.insert(try #require(run.planner.wakeAt(run.now)))
        }
        #expect(moments.count == 50)
        #expect(moments.allSatisfy { $0 - .zero <= .milliseconds(500) })
    }

    @Test func `a waiting download releases its slots`() throws {
        var run = run(settings(connections: 4))
        run.report(.networkChanged(.unknown))
        let first = try #require(run.newest)
        run.answer(first.id, whole)
        #expect(run.opened.count == 4)
        run.report(.networkChanged(.none))
        for planned in run.opened { run.end(planned.id, at: planned.start, .failed(lost)) }
        #expect(run.slotsInUse == 0)
        #expect(run.planner.isWaitingForConnectivity)
    }

    // MARK: - Metered

    @Test func `no request is sent before the cost of the network is known`() throws {
        var run = run(unpaid)
        #expect(run.opened.isEmpty)
        #expect(!run.planner.isWaitingForConnectivity)
        #expect(run.planner.wakeAt(run.now) == nil)
        run.report(.networkChanged(paid(false)))
        #expect(run.opened.count == 1)
    }

    @Test func `a network of unknown cost counts as free`() throws {
        var run = run(unpaid)
        run.report(.networkChanged(paid(nil)))
        #expect(run.opened.count == 1)
    }

    @Test func `a download waits out a metered network, before and after it starts`() throws {
        var run = run(unpaid)
        run.report(.networkChanged(paid(true)))
        #expect(run.opened.isEmpty)
        #expect(run.planner.isWaitingForConnectivity)
        run.pass(.seconds(3600))
        #expect(run.opened.isEmpty)
        run.report(.networkChanged(paid(false)))
        run.waitForNetwork(atMost: .milliseconds(500))
        let first = try #require(run.newest)
        run.answer(first.id, whole)
        run.pass(.seconds(1), sample(first, 1000))
        run.report(.networkChanged(paid(true)))
        #expect(run.closed == [first.id])
        run.end(first.id, at: 1000, .cancelled)
        #expect(run.planner.isWaitingForConnectivity)
        #expect(run.opened.count == 1)
        run.report(.networkChanged(paid(nil)))
        run.waitForNetwork(atMost: .milliseconds(500))
        #expect(run.newest?.start == 1000)
        #expect(run.error == nil)
    }

    @Test func `this machine counts as free`() {
        var run = run(unpaid, "http://localhost/a")
        #expect(run.opened.count == 1)
        run.report(.networkChanged(paid(true)))
        #expect(run.closed.isEmpty)
    }

    @Test func `a metered network changes nothing if the settings allow it`() {
        var run = run(settings())
        run.report(.networkChanged(paid(true)))
        #expect(run.opened.count == 1)
        #expect(run.closed.isEmpty)
    }

    // MARK: - Random outages

    /// Failures occur only while there is no route or shortly after, so no failure may count.
    @Test func `outages alone never end a download`() async throws {
        var random = TestSeed.generator("outages")
        var breath = Breath()
        for _ in 0..<300 {
            await breath.take()
            var run = PlannerRun(settings(connections: 2), of: pinned, seed: random.next())
            run.report(.networkChanged(.unknown))
            var offsets: [TransferID: Int64] = [:]
            for _ in 0..<60 where run.error == nil {
                for id in offsets.keys { offsets[id]? += 10 }
                let samples = run.running.compactMap { planned in
                    offsets[planned.id].map { TransferSample(id: planned.id, offset: $0) }
                }
                run.pass(.milliseconds(Int64.random(in: 1...900, using: &random)), samples)
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    run.report(.networkChanged(.none))
                    for planned in run.running where Bool.random(using: &random) {
                        run.end(planned.id, at: offsets[planned.id] ?? planned.start, .failed(lost))
                    }
                case 1: run.report(.networkChanged(.unknown))
                default:
                    for planned in run.running where offsets[planned.id] == nil {
                        run.answerAsAsked(planned, total: Self.total)
                        offsets[planned.id] = planned.start
                    }
                }
                for planned in run.running where run.closed.contains(planned.id) {
                    run.end(planned.id, at: offsets[planned.id] ?? planned.start, .cancelled)
                }
            }
            #expect(run.error == nil, "\(run.error.map { "\($0)" } ?? "")")
        }
    }
}
