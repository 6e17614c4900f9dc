internal import CBench
internal import Glibc

/// Carries packets from each tunnel to the other until the process is ended.
struct Shaper {
    private var lanes: [Lane]

    init(_ lanes: [Lane]) { self.lanes = lanes }

    mutating func run() -> Never {
        while true {
            wait()
            for index in lanes.indices { lanes[index].take() }
            for index in lanes.indices { lanes[index].deliver() }
        }
    }

    /// Waits until a packet can be read or one on its way is due.
    private func wait() {
        let due = lanes.compactMap(\.nextDue).min()
        let limit = due.map { max(0, $0 - Lane.now()) } ?? -1
        var entries = lanes.map {
            pollfd(fd: $0.source.descriptor, events: Int16(POLLIN), revents: 0)
        }
        _ = bench_poll(&entries, Int32(entries.count), limit)
    }
}
