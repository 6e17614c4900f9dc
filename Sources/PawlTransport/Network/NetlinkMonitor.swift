#if os(Linux)
internal import CPlatform
internal import Glibc
package import PawlCore
internal import Synchronization

/// Watches the network through the kernel (rtnetlink) and NetworkManager, on a thread of its own.
///
/// The thread starts with the first observer and ends with the monitor.
package final class NetlinkMonitor: NetworkPathMonitoring {
    private enum Phase {
        case unused
        case running(NetlinkHub, pthread_t)
        case closed
    }

    private let phase = Mutex(Phase.unused)
    private let commands: [MeteredProbe.Command]
    private let meteredInterval: Duration

    /// Creates a monitor.
    ///
    /// Nothing is started yet.
    package init(
        commands: [MeteredProbe.Command] = MeteredProbe.systemCommands,
        meteredInterval: Duration = .seconds(30)
    ) {
        self.commands = commands
        self.meteredInterval = meteredInterval
    }

    deinit { shutDown() }

    /// Whether its thread runs.
    package var isRunning: Bool { runningHub != nil }

    package func observe(
        asksWhetherMetered: Bool,
        _ changed: @escaping @Sendable (NetworkPath) -> Void
    ) -> NetworkObservation {
        guard let hub = openHub() else {
            changed(.unknown)
            return NetworkObservation()
        }
        let id = hub.enroll(asksWhetherMetered: asksWhetherMetered, changed)
        return NetworkObservation { hub.resign(id) }
    }

    package func current() -> NetworkPath {
        runningHub?.current() ?? RouteSnapshot.current()?.path ?? .unknown
    }

    package func shutDown() {
        let last = phase.withLock { phase in
            defer { phase = .closed }
            return phase
        }
        guard case .running(let hub, let thread) = last else { return }
        hub.close()
        // An observer may drop the last reference to the monitor during a report.
        if pthread_equal(thread, pthread_self()) == 0 {
            pthread_join(thread, nil)
        } else {
            pthread_detach(thread)
        }
    }

    private var runningHub: NetlinkHub? {
        phase.withLock { phase in
            if case .running(let hub, _) = phase { hub } else { nil }
        }
    }

    /// Returns `nil` if a thread cannot be started, or if the monitor has ended.
    private func openHub() -> NetlinkHub? {
        phase.withLock { phase in
            if case .running(let hub, _) = phase { return hub }
            guard case .unused = phase, let hub = NetlinkHub() else { return nil }
            let body = Unmanaged.passRetained(
                NetlinkThread(hub: hub, commands: commands, meteredInterval: meteredInterval)
            )
            var thread = pthread_t()
            guard pthread_create(&thread, nil, runNetlinkThread, body.toOpaque()) == 0 else {
                body.release()
                return nil
            }
            phase = .running(hub, thread)
            return hub
        }
    }
}

private func runNetlinkThread(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let body else { return nil }
    Unmanaged<NetlinkThread>.fromOpaque(body).takeRetainedValue().run()
    return nil
}
#endif
