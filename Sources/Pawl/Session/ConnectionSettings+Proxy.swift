package import PawlCore
internal import PawlTransport
package import struct FoundationEssentials.URL

extension ConnectionSettings {
    /// Whether a request for a URL goes through a proxy.
    ///
    /// For the proxy of the environment, that is certain only with `allowsPrivateProxies`.
    package func usesProxy(for url: URL) -> Bool {
        var request = TransferRequest(url: url)
        request.connection = self
        return request.goesThroughProxy
    }
}
