internal import Synchronization

/// The rules for proxies that apply now; any thread may read them.
final class CurrentProxyRules: Sendable {
    private let state = Mutex(ProxyRules())

    var value: ProxyRules { state.withLock { $0 } }

    func set(_ rules: ProxyRules) { state.withLock { $0 = rules } }
}
