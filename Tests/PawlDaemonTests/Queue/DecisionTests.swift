import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DecisionTests {
    @Test func `what ran or waits can be paused and cancelled`() {
        for state in [TaskState.waiting, .running, .waitingForConnectivity] {
            #expect(ActionRules.effect(.pause, on: state) == .become(.paused))
            #expect(ActionRules.effect(.cancel, on: state) == .become(.cancelled))
            #expect(ActionRules.effect(.resume, on: state) == .nothing)
        }
    }

    @Test func `what was stopped or failed goes on, and what has finished does not`() {
        for state in [TaskState.paused, .failed, .cancelled] {
            #expect(ActionRules.effect(.resume, on: state) == .become(.waiting))
        }
        for action in [QueueAction.pause, .resume, .cancel, .moveFirst] {
            guard case .refuse = ActionRules.effect(action, on: .finished) else {
                Issue.record("\(action) of a finished one")
                continue
            }
        }
    }

    @Test func `anything can be removed`() {
        for state in TaskState.allCases {
            #expect(ActionRules.effect(.remove, on: state) == .remove)
            #expect(ActionRules.effect(.removeWithFiles, on: state) == .remove)
        }
    }

    @Test func `all means what the action makes a difference to`() {
        #expect(ActionRules.states(.pause).isSuperset(of: [.waiting, .running]))
        #expect(!ActionRules.states(.pause).contains(.paused))
        #expect(ActionRules.states(.resume) == [.paused, .suspended])
        #expect(!ActionRules.states(.cancel).contains(.finished))
        #expect(ActionRules.states(.remove) == Set(TaskState.allCases))
    }

    @Test func `an outage is waited for, longer each time, and not for ever`() {
        let policy = OutagePolicy()
        let outage = DownloadError(.network, "gone")
        let waits = (1...policy.mostFailures).map { policy.wait(after: outage, failures: $0) }
        #expect(waits.first == .seconds(15))
        #expect(zip(waits, waits.dropFirst()).allSatisfy { ($0 ?? .zero) < ($1 ?? .zero) })
        #expect(policy.wait(after: outage, failures: policy.mostFailures + 1) == nil)
        let asked = DownloadError(.serverBusy, "busy", retryAfter: .seconds(3000))
        #expect(policy.wait(after: asked, failures: 1) == .seconds(3000))
    }

    @Test(arguments: [ErrorCode.notFound, .unauthorized, .checksumMismatch, .usage, .fileExists])
    func `what does not pass is not waited for`(code: ErrorCode) {
        #expect(OutagePolicy().wait(after: DownloadError(code, "no"), failures: 1) == nil)
    }
}
