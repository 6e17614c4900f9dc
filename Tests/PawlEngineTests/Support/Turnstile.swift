import PawlTesting
import Testing

/// Lets in so many tests at a time, first come, first served: those that measure time come alone.
final class Turnstile: Sendable {
    private struct State: Sendable {
        var free: Int
        /// The next number to be handed out, and the one that may go in next.
        var lastNumber = 0
        var turn = 1
    }

    static let shared = Turnstile(places: 12)

    private let places: Int
    private let state: Observed<State>

    private init(places: Int) {
        self.places = places
        state = Observed(State(free: places))
    }

    func pass(alone: Bool, _ body: () async throws -> Void) async rethrows {
        let weight = alone ? places : 1
        let number = state.update { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await state.wait { $0.turn == number && $0.free >= weight }
        // A test that its time limit ended takes its place all the same: it gives it back at once.
        state.update { state in
            state.free -= weight
            state.turn = max(state.turn, number + 1)
        }
        defer { state.update { $0.free += weight } }
        try await body()
    }
}

/// Runs each test of a suite when the turnstile lets it in.
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
    /// Not too many at a time.
    static var inTurn: Self { TurnstileTrait(alone: false) }
    /// While no other test of this target runs: it measures time.
    static var alone: Self { TurnstileTrait(alone: true) }
}
