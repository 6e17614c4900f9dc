package import PawlCore

/// The network of this machine.
package enum SystemNetwork {
    /// A monitor that starts nothing before it is asked.
    ///
    /// Linux has one; elsewhere everything is thought to be reachable, and nothing to be metered.
    package static func monitor() -> any NetworkPathMonitoring {
        #if os(Linux)
        NetlinkMonitor()
        #else
        AlwaysReachable()
        #endif
    }
}
