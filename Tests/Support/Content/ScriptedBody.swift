package import PawlCore

/// A body whose bytes a test provides while it is sent.
package final class ScriptedBody: BodySource {
    package struct State: Sendable {
        var bytes: [UInt8]
        /// The number of bytes that were read.
        package var position = 0
        var isComplete: Bool
        var failure: String?
        package var begins = 0
        /// The number of calls of `read`.
        package var reads = 0
        /// The number of reads that found no bytes.
        package var pauses = 0
        var wake: @Sendable () -> Void = {}
    }

    package let length: Int64?
    package let isRepeatable: Bool
    package let trailers: [HTTPField]
    private let state: Observed<State>

    /// - Parameters:
    ///   - isComplete: Whether `bytes` are the whole body.
    package init(
        _ bytes: [UInt8] = [],
        length: Int64? = nil,
        isComplete: Bool = true,
        isRepeatable: Bool = true,
        trailers: [HTTPField] = []
    ) {
        (self.length, self.isRepeatable, self.trailers) = (length, isRepeatable, trailers)
        state = Observed(State(bytes: bytes, isComplete: isComplete))
    }

    package var trailerNames: [String] { trailers.map(\.name) }

    package var now: State { state.value }

    package func begin(_ wake: @escaping @Sendable () -> Void) -> Bool {
        let isRepeatable = isRepeatable
        return state.update { state in
            state.begins += 1
            guard isRepeatable || state.position == 0 else { return false }
            state.position = 0
            state.wake = wake
            return true
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyReading {
        state.update { state in
            state.reads += 1
            let count = min(buffer.count, state.bytes.count - state.position)
            guard count > 0 else {
                if let failure = state.failure { return .failed(failure) }
                if !state.isComplete { state.pauses += 1 }
                return state.isComplete ? .end : .later
            }
            buffer.copyBytes(from: state.bytes[state.position..<state.position + count])
            state.position += count
            return .bytes(count)
        }
    }

    // MARK: - For tests

    package func append(_ bytes: [UInt8]) { change { $0.bytes += bytes } }

    package func finish() { change { $0.isComplete = true } }

    package func fail(_ reason: String) { change { $0.failure = reason } }

    /// Waits until `count` reads have found no bytes.
    package func waitForPause(_ count: Int = 1) async { await state.wait { $0.pauses >= count } }

    /// Waits until `count` bytes were read.
    package func waitForBytes(_ count: Int) async { await state.wait { $0.position >= count } }

    private func change(_ change: (inout State) -> Void) {
        let wake = state.update { state in
            change(&state)
            return state.wake
        }
        wake()
    }
}
