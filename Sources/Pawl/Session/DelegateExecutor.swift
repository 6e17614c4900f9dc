/// Where a session calls its delegate: one call at a time, in order.
public enum DelegateExecutor: Sendable {
    /// The main actor on Apple's systems, the session's own task elsewhere.
    ///
    /// Elsewhere the main actor may not be served: a program may block its main thread.
    case automatic
    /// The main actor.
    case mainActor
    /// The given actor.
    case actor(any Actor)
    /// Tasks that prefer the given executor.
    case executor(any TaskExecutor)

    func run(_ body: @escaping @Sendable () -> Void) async {
        switch self {
        case .automatic:
            #if canImport(Darwin)
            await MainActor.run(body: body)
            #else
            body()
            #endif
        case .mainActor: await MainActor.run(body: body)
        case .actor(let actor): await Self.run(body, on: actor)
        case .executor(let executor):
            await withTaskExecutorPreference(executor) { body() }
        }
    }

    private static func run(_ body: @Sendable () -> Void, on actor: isolated any Actor) { body() }
}
