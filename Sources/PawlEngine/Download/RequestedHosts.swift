internal import struct FoundationEssentials.URL
internal import PawlCore
internal import Synchronization

/// The hosts to which the requests of one download went, by source; redirects lead to others than
/// its own.
final class RequestedHosts: Sendable {
    private let hosts = Mutex<[Int: Set<String>]>([:])

    func note(_ planned: PlannedTransfer) {
        guard let host = planned.url.host() else { return }
        _ = hosts.withLock { $0[planned.source, default: []].insert(host) }
    }

    /// Whether a host of a source may have a login.
    ///
    /// `source`: its index among the sources of the download.
    func mayHaveLogin(_ source: Int, in logins: PasswordFileLogins) -> Bool {
        hosts.withLock { $0[source] ?? [] }.contains { logins.mayInclude($0) }
    }
}
