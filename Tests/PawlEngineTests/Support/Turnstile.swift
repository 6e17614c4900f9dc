import PawlTesting
import Testing

/// Admits a limited number of tests at once, in the order in which they arrive.
///
/// Tests that measure time run alone. They keep their position in the line, so neither kind can
/// hold up the other for longer than one test takes.
final class Turnstile: Sendable {
    private struct State: Sendable {
        var inside = 0
        var isOneAlone = false
        /// The tickets of the tests that wait.
        var line: [Int] = []
        var lastTicket = 0

        func admits(_ ticket: Int, alone: Bool) -> Bool {
            line.first == ticket && !isOneAlone && (alone ? inside == 0 : inside < Turnstile.slots)
        }
    }

    static let shared = Turnstile()

    private static let slots = 12
    private let state = Observed(State())

    func pass(alone: Bool, _ body: () async throws -> Void) async rethrows {
        await enter(alone: alone)
        defer {
            state.update { state in
                state.inside -= 1
                if alone { state.isOneAlone = false }
            }
        }
        try await body()
    }

    private func enter(alone: Bool) async {
        let ticket = state.update { state in
            state.lastTicket += 1
            state.line.append(state.lastTicket)
            return state.lastTicket
        }
        // A test ended by its time limit still enters: it fails by itself.
        await state.wait { $0.admits(ticket, alone: alone) }
        state.update { state in
            state.line.removeAll { $0 == ticket }
            state.inside += 1
            if alone { state.isOneAlone = true }
        }
    }
}

/// Runs each test of a suite when the turnstile admits it.
struct TurnstileTrait: SuiteTrait, TestTrait, TestScoping {
    let alone: Bool
    let isRecursive = true

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await Turnstile.shared.pass(alone: alone) { try await function() }
    }
}

extension Trait where Self == TurnstileTrait {
    /// Runs with a limited number of other tests.
    static var inTurn: Self { TurnstileTrait(alone: false) }
    /// Runs while no other test of this target runs, because it measures time.
    static var alone: Self { TurnstileTrait(alone: true) }
}
