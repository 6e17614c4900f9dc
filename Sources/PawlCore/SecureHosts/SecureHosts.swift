package import struct FoundationEssentials.URL
internal import Synchronization

/// The hosts that are used only over HTTPS, in memory, as servers demand it (RFC 6797).
package final class SecureHosts: Sendable {
    private struct State {
        var list: SecureHostList
        var observer: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    package init(_ list: SecureHostList = SecureHostList()) {
        state = Mutex(State(list: list))
    }

    package var list: SecureHostList { state.withLock { $0.list } }

    /// Calls the closure after each change, on the thread that made it.
    package func observe(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Returns the HTTPS URL in place of the HTTP URL of a known host; `nil` if the URL stays as it
    /// is.
    package func secured(_ url: URL, at now: Int64) -> URL? {
        state.withLock { $0.list.secured(url, at: now) }
    }

    /// Notes what the response of a server demands, if it was received over TLS.
    ///
    /// Only the first of several fields counts (RFC 6797 §8.1).
    package func learn(from head: ResponseHead, at now: Int64) {
        guard head.url.scheme?.lowercased() == "https",
            let host = AddressParts(head.url.absoluteString).host,
            let field = head.values("Strict-Transport-Security").first,
            let demand = StrictTransportSecurity(field)
        else { return }
        let observer = state.withLock { state in
            state.list.learn(demand, from: host, at: now) ? state.observer : nil
        }
        observer?()
    }
}
