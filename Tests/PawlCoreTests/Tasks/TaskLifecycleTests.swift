import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TaskLifecycleTests {
    private typealias Event = TaskLifecycle.Event

    private static let events: [Event] = [
        .resumeAsked, .suspendAsked, .suspensionExpired, .pauseAsked,
        .cancelAsked(keeping: true), .cancelAsked(keeping: false),
        .runBegan, .connectivityLost, .connectivityFound,
        .runEnded(.finished), .runEnded(.failed), .runEnded(.stopped),
    ]

    /// Handles all events.
    ///
    /// Returns the actions of the last one.
    private func after(_ events: Event...) -> (TaskLifecycle, [TaskLifecycle.Action]) {
        var lifecycle = TaskLifecycle()
        var last: [TaskLifecycle.Action] = []
        for event in events { last = lifecycle.handle(event) }
        return (lifecycle, last)
    }

    @Test func `a task does not start until resume`() {
        #expect(TaskLifecycle().state == .suspended)
        let (lifecycle, actions) = after(.resumeAsked)
        #expect(lifecycle.state == .waiting)
        #expect(actions == [.start])
    }

    @Test func `a task runs when its turn comes, and finishes`() {
        #expect(after(.resumeAsked, .runBegan).0.state == .running)
        let (lifecycle, actions) = after(.resumeAsked, .runBegan, .runEnded(.finished))
        #expect(lifecycle.state == .finished)
        #expect(actions == [.conclude(.finished)])
    }

    @Test func `a task that lost the network while held waits for it after resuming`() {
        let (held, _) = after(.resumeAsked, .runBegan, .suspendAsked, .connectivityLost)
        #expect(held.state == .suspended)
        var lifecycle = held
        #expect(lifecycle.handle(.resumeAsked) == [.release])
        #expect(lifecycle.state == .waitingForConnectivity)
        _ = lifecycle.handle(.connectivityFound)
        #expect(lifecycle.state == .running)
        var other = held
        _ = other.handle(.connectivityFound)
        _ = other.handle(.resumeAsked)
        #expect(other.state == .running)
    }

    @Test func `a suspension holds the run, and resuming releases it`() {
        let (held, holding) = after(.resumeAsked, .runBegan, .suspendAsked)
        #expect(held.state == .suspended)
        #expect(holding == [.hold])
        let (gone, going) = after(.resumeAsked, .runBegan, .suspendAsked, .resumeAsked)
        #expect(gone.state == .running)
        #expect(going == [.release])
    }

    @Test func `a long suspension becomes a pause`() {
        let (paused, actions) = after(.resumeAsked, .runBegan, .suspendAsked, .suspensionExpired)
        #expect(paused.state == .paused)
        #expect(actions == [.stop(keeping: true)])
        let (again, starting) = after(
            .resumeAsked,
            .runBegan,
            .suspendAsked,
            .suspensionExpired,
            .runEnded(.stopped),
            .resumeAsked
        )
        #expect(again.state == .waiting)
        #expect(starting == [.start])
    }

    @Test func `a resume during the end of a run starts a new one after it`() {
        let (waiting, nothing) = after(.resumeAsked, .runBegan, .pauseAsked, .resumeAsked)
        #expect(waiting.state == .waiting)
        #expect(nothing.isEmpty)
        let (started, actions) = after(
            .resumeAsked,
            .runBegan,
            .pauseAsked,
            .resumeAsked,
            .runEnded(.stopped)
        )
        #expect(started.state == .waiting)
        #expect(actions == [.start])
    }

    @Test func `a task that finishes while being paused is finished`() {
        let (finished, actions) = after(
            .resumeAsked,
            .runBegan,
            .pauseAsked,
            .runEnded(.finished)
        )
        #expect(finished.state == .finished)
        #expect(actions == [.conclude(.finished)])
    }

    @Test func `cancelling keeps or discards the bytes`() {
        for keeping in [true, false] {
            let (cancelled, actions) = after(
                .resumeAsked,
                .runBegan,
                .cancelAsked(keeping: keeping)
            )
            #expect(cancelled.state == .cancelled)
            #expect(actions == [.stop(keeping: keeping)])
        }
        let paused: [Event] = [.resumeAsked, .runBegan, .pauseAsked, .runEnded(.stopped)]
        var lifecycle = TaskLifecycle()
        for event in paused { _ = lifecycle.handle(event) }
        let actions = lifecycle.handle(.cancelAsked(keeping: false))
        #expect(actions == [.discard, .conclude(.cancelled)])
    }

    @Test func `losing and finding connectivity changes nothing else`() {
        #expect(
            after(.resumeAsked, .runBegan, .connectivityLost).0.state == .waitingForConnectivity
        )
        let (found, actions) = after(
            .resumeAsked,
            .runBegan,
            .connectivityLost,
            .connectivityFound
        )
        #expect(found.state == .running)
        #expect(actions.isEmpty)
    }

    /// In any order of events there is one run at a time, one end, and nothing after it.
    @Test func `any order of events is valid`() async {
        var random = TestSeed.generator("any order of events")
        var breath = Breath()
        for _ in 0..<20_000 {
            await breath.take()
            var lifecycle = TaskLifecycle()
            var runs = 0
            var ends = 0
            for _ in 0..<24 {
                let event = Self.events[Int(random.next() % UInt64(Self.events.count))]
                // A run can start and end only if it exists.
                if case .runEnded = event, runs == 0 { continue }
                if event == .runBegan, runs == 0 { continue }
                if case .runEnded = event { runs -= 1 }
                let wasEnd = lifecycle.state.isEnd
                for action in lifecycle.handle(event) {
                    switch action {
                    case .start: runs += 1
                    case .conclude(let state):
                        ends += 1
                        #expect(state == lifecycle.state && state.isEnd)
                        #expect(runs == 0)
                    case .hold, .release, .stop: #expect(runs == 1)
                    case .discard: #expect(lifecycle.state == .cancelled)
                    }
                }
                if wasEnd { #expect(lifecycle.state.isEnd) }
                #expect((0...1).contains(runs))
                #expect(ends <= 1)
                // An end without a run has been reported.
                if lifecycle.state.isEnd, runs == 0 { #expect(ends == 1) }
            }
        }
    }
}
