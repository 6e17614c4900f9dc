#if os(Linux)
internal import CPlatform
internal import Glibc
internal import PawlCore

/// The thread that watches for changes.
///
/// No other thread touches its state.
final class NetlinkThread {
    /// The minimum time between two reads of the routes, however fast they change.
    private static let pause: Duration = .milliseconds(100)
    /// The delay after which NetworkManager is asked again: it decides some time after the routes
    /// have changed.
    private static let secondThought: Duration = .seconds(3)

    private let hub: NetlinkHub
    private let meteredInterval: Duration
    private let clock = SystemTimekeeper()
    private var probe: MeteredProbe
    private var socket: NetlinkSocket?
    private var mustRead = true
    private var mayReadAt = Moment.zero
    /// The routes that this thread found last.
    ///
    /// Another thread may have read them since.
    private var seenRoutes: NetworkPath?
    private var nextProbeAt = Moment.zero
    private var hasAsked = false
    private var isSecondThoughtDue = false

    init(hub: NetlinkHub, commands: [MeteredProbe.Command], meteredInterval: Duration) {
        self.hub = hub
        self.meteredInterval = meteredInterval
        probe = MeteredProbe(commands: commands)
    }

    func run() {
        let surroundings = ThreadSurroundings()
        defer { surroundings.leave() }
        pawl_name_this_thread("pawl-network")
        // The socket is opened before the first read, so that no change is missed.
        socket = NetlinkSocket(hearing: pawl_netlink_all_groups)
        while !hub.isClosed {
            readRoutes(clock.now())
            askWhetherMetered(clock.now())
            wait(clock.now())
        }
        probe.end()
    }

    private func readRoutes(_ now: Moment) {
        guard mustRead, now >= mayReadAt else { return }
        mustRead = false
        mayReadAt = now + Self.pause
        let before = seenRoutes
        _ = hub.current()
        seenRoutes = hub.routes
        guard let before, seenRoutes != before else { return }
        nextProbeAt = min(nextProbeAt, now)
        isSecondThoughtDue = true
    }

    private func askWhetherMetered(_ now: Moment) {
        guard hub.asksWhetherMetered else {
            if hasAsked { hub.forgetMetered() }
            hasAsked = false
            nextProbeAt = .zero
            probe.end()
            return
        }
        if probe.descriptor != nil {
            if case .answered(let isMetered) = probe.read(at: now) {
                hub.learned(isMetered: isMetered)
            }
            return
        }
        guard now >= nextProbeAt else { return }
        hasAsked = true
        nextProbeAt = now + (isSecondThoughtDue ? Self.secondThought : meteredInterval)
        isSecondThoughtDue = false
        if !probe.begin(at: now) { hub.learned(isMetered: nil) }
    }

    private func wait(_ now: Moment) {
        let descriptors = [hub.wakeEnds.reader, socket?.descriptor, probe.descriptor]
        var entries = descriptors.compactMap { $0 }.map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        poll(&entries, nfds_t(entries.count), milliseconds(from: now))
        hub.takeWakes()
        guard let socket, entries.contains(where: { $0.fd == socket.descriptor && $0.revents != 0 })
        else { return }
        guard let changed = socket.takeChanges() else {
            self.socket = NetlinkSocket(hearing: pawl_netlink_all_groups)
            mustRead = true
            return
        }
        mustRead = mustRead || changed
    }

    private func milliseconds(from now: Moment) -> Int32 {
        var moments = [probe.deadline]
        if mustRead { moments.append(mayReadAt) }
        if hub.asksWhetherMetered, probe.descriptor == nil { moments.append(nextProbeAt) }
        guard let next = moments.compactMap(\.self).min() else { return -1 }
        // Rounded up, so that the thread does not wake slightly early again and again.
        return Int32(clamping: max(0, (next - now).nanoseconds / 1_000_000 + 1))
    }
}
#endif
