import PawlTesting
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips tests that need a network namespace if none can be created.
    static var needsNetworkNamespace: Self {
        .enabled(
            if: NetworkNamespace.isAvailable,
            "needs root, ip, unshare, nsenter and veth links"
        )
    }
}
