/// A value that the first test that needs it makes, and all others share.
package final class SharedValue<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case unused, inProgress
        case made(Result<Value, any Error>)
    }

    private let state = Observed(State.unused)
    private let make: @Sendable () async throws -> Value

    package init(_ make: @escaping @Sendable () async throws -> Value) { self.make = make }

    /// Returns the value; throws the error of the attempt to make it.
    package func get() async throws -> Value {
        let isFirst = state.update { state in
            guard case .unused = state else { return false }
            state = .inProgress
            return true
        }
        if isFirst {
            let result = await result()
            state.update { $0 = .made(result) }
            return try result.get()
        }
        let state = await state.wait { if case .made = $0 { true } else { false } }
        guard case .made(let result) = state else { throw CancellationError() }
        return try result.get()
    }

    private func result() async -> Result<Value, any Error> {
        do {
            return .success(try await make())
        } catch {
            return .failure(error)
        }
    }
}
