internal import CPlatform
internal import Glibc
package import PawlCore
internal import struct FoundationEssentials.URL

/// The hosts that the environment excepts from its proxy (`no_proxy`).
///
/// libcurl reads them itself, and does not report whether a transfer uses the proxy. So if that
/// matters, Pawl decides it.
package struct ProxyExceptions: Hashable {
    private let patterns: [String]

    init() { self.init { name in getenv(name).map { String(cString: $0) } } }

    package init(variable: (String) -> String?) {
        let text = variable("no_proxy") ?? variable("NO_PROXY") ?? ""
        patterns = text.lowercased().split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// Whether a host is reached without the proxy.
    package func contain(_ host: String) -> Bool {
        let name = Self.plain(host)
        if let address = IPAddress(name) {
            return patterns.contains { $0 == "*" || AddressRange($0)?.contains(address) == true }
        }
        return patterns.contains { pattern in
            let end = Self.plain(pattern.hasPrefix(".") ? String(pattern.dropFirst()) : pattern)
            return pattern == "*" || name == end || !end.isEmpty && name.hasSuffix("." + end)
        }
    }

    private static func plain(_ host: String) -> String {
        let name = host.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}

/// A host as it is written in a URL.
package enum WrittenHost {
    /// Whether it is on this machine or a private network, as far as that can be seen.
    ///
    /// A name with dots may be anywhere: only who resolves it knows.
    package static func isPrivate(_ host: String) -> Bool {
        var name = host.lowercased()[...].trimmed(of: "[]")
        if name.hasSuffix(".") { name.removeLast() }
        if let address = IPAddress(name) ?? shortAddress(name) { return !address.isPublic }
        let ends = [".localhost", ".local", ".internal"]
        return !name.utf8.contains(UInt8(ascii: ".")) || ends.contains { name.hasSuffix($0) }
    }

    /// Forms such as `127.1` or `0x7f000001`, which many programs accept.
    private static func shortAddress(_ text: String) -> IPAddress? {
        var address = in_addr()
        guard inet_aton(text, &address) == 1 else { return nil }
        return withUnsafeBytes(of: address) { IPAddress(bytes: Array($0)) }
    }
}

extension TransferRequest {
    /// Whether the request goes through a proxy.
    ///
    /// For the proxy of the environment, that is certain only with `allowsPrivateProxies`.
    package var goesThroughProxy: Bool {
        guard connection.socketPath == nil else { return false }
        switch connection.proxy {
        case .none: return false
        case .proxy: return true
        case .environment:
            guard case .proxy(let text) = EnvironmentProxy(for: self), !text.isEmpty else {
                return false
            }
            return !ProxyExceptions().contain(url.host() ?? "")
        }
    }
}
