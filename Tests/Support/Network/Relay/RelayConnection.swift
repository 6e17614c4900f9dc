import Glibc

/// The two sockets of one connection of a relay, which only the relay's thread uses.
struct RelayConnection {
    /// What follows after bytes were read.
    enum Outcome {
        case continues
        /// Both sides have ended their streams.
        case ended
        /// One side has broken its connection.
        case broken
        /// The cut with this number applies.
        case cut(Int)
    }

    let client: Int32
    let server: Int32
    private var pending: [RelayDirection: [UInt8]] = [:]
    private var finished: Set<RelayDirection> = []
    private var progress: [Int: RelayCutProgress] = [:]

    private static let chunkBytes = 64 << 10
    /// SIOCOUTQ: the number of bytes that the peer's kernel has not acknowledged.
    private static let unsentBytes: UInt = 0x5411
    /// The time after which a peer that takes no bytes is given up, in steps of 10 ms.
    private static let mostSteps = 200

    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

    private func source(_ direction: RelayDirection) -> Int32 {
        direction == .toServer ? client : server
    }

    private func receiver(_ direction: RelayDirection) -> Int32 {
        direction == .toServer ? server : client
    }

    private func hasPending(_ direction: RelayDirection) -> Bool {
        pending[direction]?.isEmpty == false
    }

    /// Returns the descriptor for which a direction waits now, and the event.
    func interest(_ direction: RelayDirection) -> pollfd? {
        if hasPending(direction) {
            return pollfd(fd: receiver(direction), events: Int16(POLLOUT), revents: 0)
        }
        guard !finished.contains(direction) else { return nil }
        return pollfd(fd: source(direction), events: Int16(POLLIN), revents: 0)
    }

    /// Forwards what is ready in a direction; `forwarded` gets the number of bytes.
    mutating func advance(
        _ direction: RelayDirection,
        _ cuts: [(number: Int, point: RelayCut)],
        forwarded: (Int) -> Void
    ) -> Outcome {
        if hasPending(direction) { return flush(direction, forwarded) }
        var buffer = [UInt8](repeating: 0, count: Self.chunkBytes)
        let count = recv(source(direction), &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .continues : .broken }
        if count == 0 {
            finished.insert(direction)
            shutdown(receiver(direction), Int32(SHUT_WR))
            return finished.count == RelayDirection.allCases.count ? .ended : .continues
        }
        var bytes = Array(buffer[..<count])
        var applied: Int?
        for (number, point) in cuts {
            var state = progress[number] ?? RelayCutProgress(point)
            let cut = state.take(bytes, direction)
            progress[number] = state
            if let cut {
                bytes = Array(bytes.prefix(cut))
                applied = number
            }
        }
        pending[direction] = bytes
        guard let applied else { return flush(direction, forwarded) }
        flushAll(direction, forwarded)
        return .cut(applied)
    }

    private mutating func flush(
        _ direction: RelayDirection,
        _ forwarded: (Int) -> Void
    ) -> Outcome {
        let bytes = pending[direction] ?? []
        guard !bytes.isEmpty else { return .continues }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let count = send(receiver(direction), bytes, bytes.count, flags)
        guard count >= 0 else {
            return errno == EAGAIN || errno == EINTR ? .continues : .broken
        }
        pending[direction] = Array(bytes[count...])
        forwarded(count)
        return .continues
    }

    /// Forwards all that is left, before the connection breaks.
    private mutating func flushAll(_ direction: RelayDirection, _ forwarded: (Int) -> Void) {
        for _ in 0..<Self.mostSteps where hasPending(direction) {
            guard case .continues = flush(direction, forwarded) else { return }
            var entry = pollfd(fd: receiver(direction), events: Int16(POLLOUT), revents: 0)
            if hasPending(direction) { poll(&entry, 1, 10) }
        }
    }

    /// Closes both sockets.
    func close(_ ending: Ending) {
        for descriptor in [client, server] {
            if ending == .reset {
                drain(descriptor)
                var abrupt = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    descriptor,
                    SOL_SOCKET,
                    SO_LINGER,
                    &abrupt,
                    socklen_t(MemoryLayout<linger>.size)
                )
            }
            Glibc.close(descriptor)
        }
    }

    /// Waits until the peer's kernel holds all bytes, which a reset would discard.
    private func drain(_ descriptor: Int32) {
        var unsent: Int32 = 0
        for _ in 0..<Self.mostSteps {
            guard ioctl(descriptor, Self.unsentBytes, &unsent) == 0, unsent > 0 else { return }
            poll(nil, 0, 1)
        }
    }
}
