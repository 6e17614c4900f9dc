internal import Hummingbird
internal import Logging

/// The facts about a request that a route needs besides the request itself.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The authority of the request; a route passes it on, and makes no decision from it.
    let authority: Authority
    /// Whether the request would still be allowed; the credentials may be revoked meanwhile.
    let mayContinue: @Sendable () -> Bool

    struct Source: RequestContextSource {
        let logger: Logger
        let authority: Authority
        var mayContinue: @Sendable () -> Bool = { true }
    }

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        (authority, mayContinue) = (source.authority, source.mayContinue)
    }
}
