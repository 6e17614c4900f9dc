package import PawlCore

/// What a session uses in place of the system's network and clock.
package struct NetworkReplacement: Sendable {
    package let transport: any Transport
    package let time: any Timekeeper

    package init(transport: any Transport, time: any Timekeeper) {
        (self.transport, self.time) = (transport, time)
    }

    var monitor: any NetworkPathMonitoring { AlwaysReachable() }
}
