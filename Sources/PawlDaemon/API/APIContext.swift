internal import Hummingbird
internal import Logging

/// What a route knows of its request besides the request itself.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// By which right it asks: a route hands that on, and decides nothing by it.
    let authority: Authority
    /// Whether what let the request in still would.
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
