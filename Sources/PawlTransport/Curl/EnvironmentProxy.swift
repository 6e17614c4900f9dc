internal import Glibc
internal import PawlCore
internal import struct FoundationEssentials.URL

/// The proxy that the environment names for the URL of a request, whether or not `no_proxy`
/// contains its host.
///
/// It is read here and not by libcurl, whose error texts quote a proxy that is not valid, with its
/// password.
package enum EnvironmentProxy: Hashable {
    case unset
    case proxy(String)
    /// The variable has a value that is not a proxy; the text contains neither a name nor a
    /// password.
    case invalid(String)

    /// A proxy that libcurl refuses if it would use one for the URL, which depends on `no_proxy`.
    static let refused = "invalid://proxy-of-the-environment"

    init(for request: TransferRequest) {
        let scheme = request.scheme == .ftpes ? "ftp" : request.scheme.rawValue
        self.init(scheme: scheme) { name in getenv(name).map { String(cString: $0) } }
    }

    /// Looks for the variables that libcurl knows, in its order.
    package init(scheme: String, variable: (String) -> String?) {
        var names = ["\(scheme)_proxy"]
        // A server that runs CGI programs sets HTTP_PROXY to what a client sends as `Proxy:`.
        if scheme != "http" { names.append("\(scheme)_proxy".uppercased()) }
        names += ["all_proxy", "ALL_PROXY"]
        for name in names {
            guard let value = variable(name), !value.isEmpty else { continue }
            self.init(value, of: name)
            return
        }
        self = .unset
    }

    private init(_ value: String, of name: String) {
        // Desktops write `socks://`, which to libcurl is SOCKS 4.
        let short = "socks://"
        let isShort = value.prefix(short.count).lowercased() == short
        let text = isShort ? "socks4://" + value.dropFirst(short.count) : value
        do throws(ValueError) {
            switch try ProxyPolicy.parse(text) {
            case .proxy(let url): self = .proxy(url.absoluteString)
            case .none, .environment: self = .proxy("")
            }
        } catch {
            self = .invalid("\(name): \(error.reason)")
        }
    }
}
