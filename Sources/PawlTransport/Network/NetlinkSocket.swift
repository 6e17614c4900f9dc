#if os(Linux)
internal import CPlatform
internal import Glibc
internal import PawlCore

/// A socket to the kernel's routing tables.
///
/// It is closed with its owner.
final class NetlinkSocket {
    let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    /// Returns `nil` if the system provides no such socket, as in some sandboxes.
    init?(hearing groups: UInt32 = 0) {
        descriptor = pawl_netlink_open(groups)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Reads all pending change reports, and returns whether the routes must be read again.
    ///
    /// The reports themselves are not trusted. Returns `nil` if the socket is no longer usable.
    func takeChanges() -> Bool? {
        var changed = false
        // The limit keeps a flood of messages from holding the thread here for ever.
        for _ in 0..<1000 {
            var sender: UInt32 = 0
            let count = pawl_netlink_receive(
                descriptor,
                &buffer,
                buffer.count,
                pawl_dont_wait,
                &sender
            )
            if count >= 0 {
                // Any root process may send here; the kernel's address is 0.
                if sender == 0 { changed = true }
                continue
            }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return changed
            // There were too many changes to report one by one, or one was too large.
            case ENOBUFS, EMSGSIZE: changed = true
            default: return nil
            }
        }
        return true
    }

    /// The kernel's answer about one address.
    enum WayAnswer {
        case way(RouteWay)
        /// There is no route to the address.
        case noRoute
        /// The kernel did not answer.
        case failed
    }

    /// Asks the kernel for its route to an address.
    func way(to address: IPAddress) -> WayAnswer {
        let sequence: UInt32 = 1
        let family = UInt8(address.isIPv6 ? AF_INET6 : AF_INET)
        let bytes = address.bytes
        guard pawl_netlink_ask_way(descriptor, family, bytes, bytes.count, sequence) == 0 else {
            return .failed
        }
        var sender: UInt32 = 1
        // Any root process may send here; the kernel's address is 0.
        for _ in 0..<100 where sender != 0 {
            let count = pawl_netlink_receive(descriptor, &buffer, buffer.count, 0, &sender)
            guard count >= 0 else { return .failed }
            guard sender == 0 else { continue }
            let way = NetlinkReader.way(in: buffer[..<count], sequence: sequence)
            return way.map { .way($0) } ?? .noRoute
        }
        return .failed
    }

    enum Answer {
        case complete
        /// The table changed during the dump.
        case interrupted
        case failed
    }

    /// Requests all entries of a kind, until `isEnough` returns `true`.
    func dump(
        _ kind: UInt16,
        family: UInt8,
        sequence: UInt32,
        into snapshot: inout RouteSnapshot,
        isEnough: (RouteSnapshot) -> Bool = { _ in false }
    ) -> Answer {
        guard pawl_netlink_ask(descriptor, kind, family, sequence) == 0 else { return .failed }
        var answer = Answer.complete
        var bytes = 0
        while bytes < Self.mostBytes {
            var sender: UInt32 = 0
            let count = pawl_netlink_receive(descriptor, &buffer, buffer.count, 0, &sender)
            guard count >= 0 else { return .failed }
            bytes += max(count, 1)
            guard sender == 0 else { continue }
            for message in NetlinkReader.messages(in: buffer[..<count])
            where message.sequence == sequence {
                if message.isInterrupted { answer = .interrupted }
                switch message.body {
                case .done: return answer
                case .failed: return .failed
                default: snapshot.take(message.body)
                }
            }
            if isEnough(snapshot) { return .complete }
        }
        return .failed
    }

    /// The size limit of one dump.
    ///
    /// Even a router's tables with many networks are smaller.
    private static let mostBytes = 512 << 20
}

extension RouteSnapshot {
    /// Asks the kernel; `nil` if it cannot be asked.
    static func current() -> RouteSnapshot? {
        var snapshot: RouteSnapshot?
        for _ in 0..<5 {
            var next = RouteSnapshot()
            switch next.fill() {
            case .complete: return next
            // A partly outdated snapshot is better than none.
            case .interrupted: snapshot = next
            case .failed: return nil
            }
        }
        return snapshot
    }

    private mutating func fill() -> NetlinkSocket.Answer {
        var isInterrupted = false
        for (kind, family) in Self.questions {
            // Each dump has a new socket, because there is no other way to abandon a dump halfway.
            guard let socket = NetlinkSocket() else { return .failed }
            let isRoute = kind == pawl_get_routes
            let answer = socket.dump(kind, family: family, sequence: 1, into: &self) {
                isRoute && (family == AF_INET ? $0.hasIPv4Route : $0.hasIPv6Route)
            }
            switch answer {
            case .complete: break
            case .interrupted: isInterrupted = true
            // A kernel without that address family has no routes for it.
            case .failed: guard family == AF_INET6 else { return .failed }
            }
        }
        return isInterrupted ? .interrupted : .complete
    }

    private static var questions: [(kind: UInt16, family: UInt8)] {
        [
            (pawl_get_links, UInt8(AF_UNSPEC)), (pawl_get_addresses, UInt8(AF_UNSPEC)),
            (pawl_get_routes, UInt8(AF_INET)), (pawl_get_routes, UInt8(AF_INET6)),
        ]
    }
}
#endif
