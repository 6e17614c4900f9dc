package import PawlCore

/// The combined result of dumps of links, addresses and routes, taken in that order.
package struct RouteSnapshot: Sendable {
    /// No machine has more entries than this; further ones are left out.
    private static let limit = 65_536

    private var usableLinks: Set<Int32> = []
    private var addresses: Set<IPAddress> = []
    package private(set) var hasIPv4Route = false
    package private(set) var hasIPv6Route = false

    package init() {}

    package mutating func take(_ message: RouteMessage) {
        switch message {
        case .link(let index, isUsable: true):
            if usableLinks.count < Self.limit { usableLinks.insert(index) }
        case .address(let address):
            if addresses.count < Self.limit { addresses.insert(address) }
        case .route(let entry):
            let isUp = entry.links.isEmpty || entry.links.contains(where: usableLinks.contains)
            guard isUp else { return }
            if entry.isIPv6 { hasIPv6Route = true } else { hasIPv4Route = true }
        case .link, .done, .failed, .other: break
        }
    }

    package var path: NetworkPath {
        var path = NetworkPath(hasIPv4Route: hasIPv4Route, hasIPv6Route: hasIPv6Route)
        path.localAddresses = addresses
        return path
    }
}
