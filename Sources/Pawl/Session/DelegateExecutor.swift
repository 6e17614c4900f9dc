/// Where a session calls its delegate: one call at a time, in order.
public enum DelegateExecutor: Sendable {
    /// The main actor on Apple's systems, the session's own task elsewhere.
    ///
    /// On other systems, a program may block its main thread, so that the main actor cannot run.
    case automatic
    /// The main actor.
    case mainActor
    /// The given actor.
    case actor(any Actor)
    /// Tasks that prefer the given executor.
    case executor(any TaskExecutor)

    /// Runs a closure where the delegate is called.
    package func run(_ body: @escaping @Sendable () -> Void, in session: DownloadSession) async {
        await deliver(.callback(body), in: session)
    }

    /// Delivers an event.
    ///
    /// The delegate's methods run where the caller of `Delivery.deliver(in:)` runs, unless they
    /// belong to another actor. The event is passed on as a value, because closures and generic
    /// calls leave the actor that they are called on.
    func deliver(_ event: Delivery, in session: DownloadSession) async {
        switch self {
        case .automatic:
            #if canImport(Darwin)
            await Self.deliverOnMainActor(event, session)
            #else
            await event.deliver(in: session)
            #endif
        case .mainActor: await Self.deliverOnMainActor(event, session)
        case .actor(let actor): await Self.deliver(event, session, on: actor)
        case .executor(let executor):
            await withTaskExecutorPreference(executor) { await event.deliver(in: session) }
        }
    }

    private static func deliver(
        _ event: Delivery,
        _ session: DownloadSession,
        on actor: isolated any Actor
    ) async {
        await event.deliver(in: session)
    }

    @MainActor
    private static func deliverOnMainActor(_ event: Delivery, _ session: DownloadSession) async {
        await event.deliver(in: session)
    }
}
