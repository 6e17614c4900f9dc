internal import struct FoundationEssentials.URL
package import PawlCore
internal import Synchronization

/// The hosts to which the requests of one download went, by source; redirects lead to others than
/// its own.
package final class RequestedHosts: Sendable {
    private let hosts = Mutex<[Int: Set<String>]>([:])

    package init() {}

    package func note(_ planned: PlannedTransfer) {
        guard let host = planned.url.host() else { return }
        _ = hosts.withLock { $0[planned.source, default: []].insert(host) }
    }

    /// Whether a host of a source may have a login.
    ///
    /// `source`: its index among the sources of the download.
    package func mayHaveLogin(_ source: Int, in logins: PasswordFileLogins) -> Bool {
        let hosts = hosts.withLock { $0 }
        // Without a request, all bytes are those of an earlier run, which may have been redirected to
        // any host.
        guard !hosts.isEmpty else { return logins != .none }
        return (hosts[source] ?? []).contains { logins.mayInclude($0) }
    }
}
