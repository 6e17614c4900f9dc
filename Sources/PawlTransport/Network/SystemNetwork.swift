package import PawlCore

/// The network of this machine.
package enum SystemNetwork {
    /// Returns a monitor that starts nothing until it is asked.
    ///
    /// On Linux it watches the network. On other systems everything counts as reachable and nothing
    /// as metered.
    package static func monitor() -> any NetworkPathMonitoring {
        #if os(Linux)
        NetlinkMonitor()
        #else
        AlwaysReachable()
        #endif
    }
}
