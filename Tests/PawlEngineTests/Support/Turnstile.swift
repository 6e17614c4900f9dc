import PawlTesting
import Testing

/// Runs a limited number of tests at once.
///
/// Tests that measure time run alone.
final class Turnstile: Sendable {
    private struct State: Sendable {
        var inside = 0
        var waiting = 0
        var isOneAlone = false
    }

    static let shared = Turnstile()

    private static let places = 12
    private let state = Observed(State())

    func pass(alone: Bool, _ body: () async throws -> Void) async rethrows {
        if alone { await enterAlone() } else { await enter() }
        defer {
            state.update { state in
                state.inside -= 1
                if alone { state.isOneAlone = false }
            }
        }
        try await body()
    }

    private func enter() async {
        state.update { $0.waiting += 1 }
        while !Task.isCancelled {
            await state.wait { !$0.isOneAlone && $0.inside < Self.places }
            let isIn = state.update { state in
                guard !state.isOneAlone, state.inside < Self.places else { return false }
                state.inside += 1
                state.waiting -= 1
                return true
            }
            if isIn { return }
        }
        leaveLine()
    }

    private func enterAlone() async {
        while !Task.isCancelled {
            await state.wait { $0.inside == 0 && $0.waiting == 0 }
            let isIn = state.update { state in
                guard state.inside == 0, state.waiting == 0 else { return false }
                state.inside = 1
                state.isOneAlone = true
                return true
            }
            if isIn { return }
        }
        state.update { $0.inside += 1 }
    }

    /// A test ended by its time limit still enters: it fails by itself.
    private func leaveLine() {
        state.update { state in
            state.waiting -= 1
            state.inside += 1
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
