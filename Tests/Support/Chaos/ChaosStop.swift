import PawlCore
import Synchronization

/// The point in a run at which the client is ended from outside.
package struct ChaosStop: Sendable {
    package enum Manner: String, CaseIterable, Sendable {
        /// A signal that leaves no chance to clean up: `kill -9`.
        case kill
        /// An interrupt, as by Ctrl-C.
        case interrupt
    }

    package let manner: Manner
    /// The number of the request in the run, counted from 1.
    let request: Int
    /// The fraction of the body that is sent before the stop.
    let fraction: Double
    /// The pause before the stop, in which a checkpoint may be written.
    let pause: Duration

    /// Draws a stop, or `nil` if the run ends by itself.
    init?(_ random: inout SplitMix64) {
        guard Int.random(in: 0..<4, using: &random) > 0 else { return nil }
        manner = Int.random(in: 0..<3, using: &random) == 0 ? .interrupt : .kill
        request = [1, 1, 2, 3, 5].randomElement(using: &random) ?? 1
        // The stop comes while the file gets its name, or anywhere.
        let isLate = Int.random(in: 0..<5, using: &random) == 0
        fraction = isLate ? 1 : Double.random(in: 0...1, using: &random)
        let pauses = isLate ? [0, 1, 3, 10, 30] : [0, 0, 200, 800]
        pause = .milliseconds(pauses.randomElement(using: &random) ?? 0)
    }

    var description: String {
        "\(manner.rawValue) at request \(request) of the run, "
            + "\(Int(fraction * 100)) % into its body, after \(pause)"
    }
}

/// The trigger that ends a running client: the client sets the action, and the origin pulls the
/// trigger.
package final class ChaosTrigger: Sendable {
    private struct State {
        var isPulled = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Whether the client was ended from outside.
    package var isPulled: Bool { state.withLock { $0.isPulled } }

    /// Sets the action, and runs it at once if the trigger has already been pulled.
    package func whenPulled(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.action = action
            return state.isPulled
        }
        if isLate { action() }
    }

    func pull() {
        let action = state.withLock { state in
            defer { state.isPulled = true }
            return state.isPulled ? nil : state.action
        }
        action?()
    }
}
