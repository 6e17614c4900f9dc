internal import Hummingbird
internal import Logging

/// Where a connection came in: what may be asked there differs (docs/security.md).
package enum Listener: Sendable {
    /// The Unix socket, which only the user can open.
    case socket
    /// TCP, which every program and web page on this machine can try.
    case network
}

/// What a route knows of its request besides the request itself.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let listener: Listener
    /// Whether what let the request in still would.
    let mayGoOn: @Sendable () -> Bool

    struct Source: RequestContextSource {
        let logger: Logger
        let listener: Listener
        var mayGoOn: @Sendable () -> Bool = { true }
    }

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        (listener, mayGoOn) = (source.listener, source.mayGoOn)
    }
}
