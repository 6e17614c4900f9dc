internal import CBench
internal import Glibc

/// One direction with its two ends.
struct Lane {
    let source: Tunnel
    private let target: Tunnel
    private var direction: Direction
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(from source: Tunnel, to target: Tunnel, _ direction: Direction) {
        self.source = source
        self.target = target
        self.direction = direction
    }

    var nextDue: Int64? { direction.nextDue }

    /// Reads packets from the source, a few at a time, so that a burst does not delay packets that
    /// are due.
    mutating func take() {
        for _ in 0..<64 {
            guard let packet = source.receive(&buffer) else { return }
            direction.enter(packet, now: Self.now())
        }
    }

    mutating func deliver() {
        let now = Self.now()
        while let packet = direction.leave(now: now) { target.send(packet) }
    }

    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
