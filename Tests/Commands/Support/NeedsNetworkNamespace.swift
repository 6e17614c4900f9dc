import PawlTesting
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips what needs a network of its own where none can be made.
    static var needsNetworkNamespace: Self {
        .enabled(
            if: NetworkNamespace.isAvailable,
            "needs root, ip, unshare, nsenter and veth links"
        )
    }
}
