internal import Hummingbird
internal import Logging

/// The facts about a request that a route needs besides the request itself.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The authority of the request; a route passes it on, and makes no decision from it.
    let authority: Authority
    /// The client, if the request came over TCP.
    let client: RequestClient
    /// Records the downloads that the request changes.
    let changed: ChangedDownloads
    /// Whether the request would still be allowed; the credentials may be revoked meanwhile.
    let mayContinue: @Sendable () -> Bool

    struct Source: RequestContextSource {
        let logger: Logger
        let authority: Authority
        var client = RequestClient()
        let changed = ChangedDownloads()
        var mayContinue: @Sendable () -> Bool = { true }
    }

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        (authority, mayContinue) = (source.authority, source.mayContinue)
        (client, changed) = (source.client, source.changed)
    }
}
