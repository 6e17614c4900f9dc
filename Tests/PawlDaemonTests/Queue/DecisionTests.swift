import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DecisionTests {
    @Test func `running and waiting downloads can be paused and cancelled`() {
        for state in [TaskState.waiting, .running, .waitingForConnectivity] {
            #expect(ActionRules.effect(.pause, on: state) == .become(.paused))
            #expect(ActionRules.effect(.cancel, on: state) == .become(.cancelled))
            #expect(ActionRules.effect(.resume, on: state) == .nothing)
        }
    }

    @Test func `a complete download whose end is being recorded is not stopped`() {
        for action in [QueueAction.pause, .cancel] {
            for state in [TaskState.running, .waiting] {
                guard case .refuse = ActionRules.effect(action, on: state, isComplete: true) else {
                    Issue.record("\(action) of a download that is \(state)")
                    continue
                }
            }
        }
        #expect(ActionRules.effect(.remove, on: .running, isComplete: true) == .remove)
    }

    @Test func `a download starts after the last of the jobs on its files`() {
        let waiting = WaitingDownloads(limit: 1)
        waiting.hold([1, 1])
        waiting.wait(QueueScheduler.Entry(id: 1, position: 1))
        var starting: [Int64] {
            var plan = waiting.plan(ended: [])
            plan.start(at: StoreScene.noon, moment: .zero)
            return plan.starting
        }
        #expect(!waiting.release(1))
        #expect(starting.isEmpty)
        #expect(waiting.release(1))
        #expect(starting == [1])
    }

    @Test func `stopped and failed downloads can be resumed, finished ones cannot`() {
        for state in [TaskState.paused, .failed, .cancelled] {
            #expect(ActionRules.effect(.resume, on: state) == .become(.waiting))
        }
        for action in [QueueAction.pause, .resume, .cancel, .moveFirst] {
            guard case .refuse = ActionRules.effect(action, on: .finished) else {
                Issue.record("\(action) of a finished download")
                continue
            }
        }
    }

    @Test func `any download can be removed`() {
        for state in TaskState.allCases {
            #expect(ActionRules.effect(.remove, on: state) == .remove)
            #expect(ActionRules.effect(.removeWithFiles, on: state) == .remove)
        }
    }

    @Test func `all selects the downloads that the action would change`() {
        #expect(ActionRules.states(.pause).isSuperset(of: [.waiting, .running]))
        #expect(!ActionRules.states(.pause).contains(.paused))
        #expect(ActionRules.states(.resume) == [.paused, .suspended, .failed, .waiting])
        #expect(!ActionRules.states(.cancel).contains(.finished))
        #expect(ActionRules.states(.remove) == Set(TaskState.allCases))
    }

    @Test func `resume starts a download that waits for its retry`() {
        let effect = ActionRules.effect(.resume, on: .waiting, waitsToRetry: true)
        #expect(effect == .become(.waiting))
        #expect(ActionRules.effect(.resume, on: .waiting) == .nothing)
    }
}
