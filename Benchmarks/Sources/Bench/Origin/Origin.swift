internal import CBench
internal import Glibc
internal import Synchronization

/// A server with support for ranges, for what nginx cannot do: a different rate per connection,
/// failing or slowing down during a transfer, and recording when a request arrived.
///
/// nginx's `limit_rate` does not give a steady rate either: at first, it sends the bytes of one
/// second at once.
final class Origin: Sendable {
    let plan: OriginPlan
    let file: Int32
    let fileBytes: Int
    private let listener: Listener
    private let state = Mutex(State())

    private struct State {
        var record = OriginRecord()
        /// The generation; connections of earlier generations are ignored.
        var generation = 0
        /// The open connections by number.
        var open: [Int: Int32] = [:]
        var pacer = Pacer()
        var isMute = false
    }

    /// The position of a connection in the record.
    struct ConnectionPosition: Sendable {
        let generation: Int
        let number: Int
    }

    init(serving path: String, _ plan: OriginPlan) throws {
        self.plan = plan
        file = bench_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { throw BenchError.system("cannot open \(path)") }
        fileBytes = Int(lseek(file, 0, SEEK_END))
        listener = try Listener()
        try BackgroundThread.start { self.accept() }
    }

    var url: String { "http://127.0.0.1:\(listener.port)/file" }

    var record: OriginRecord { state.withLock(\.record) }

    /// Resets the record, and ends all connections.
    func reset() {
        state.withLock { state in
            for descriptor in state.open.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
            state = State(generation: state.generation + 1, isMute: state.isMute)
        }
    }

    /// From now on, records requests without responding to them.
    func mute() { state.withLock { $0.isMute = true } }

    func stop() {
        listener.stop()
        reset()
    }

    // MARK: For its connections

    /// Records a request.
    ///
    /// Returns `false` if no response must be sent.
    func note(_ head: RequestHead, arrived: Moment, at position: ConnectionPosition) -> Bool {
        let request = OriginRecord.Request(arrived: arrived, firstByte: head.range?.first)
        return state.withLock { state in
            guard state.generation == position.generation else { return false }
            state.record.requests.append(request)
            return !state.isMute
        }
    }

    /// The permission of a connection to send its next bytes.
    enum Permission {
        case send(from: Moment)
        case die
    }

    /// Counts the next bytes of a connection, and returns when they may be sent.
    func permit(_ count: Int, at position: ConnectionPosition) -> Permission {
        state.withLock { state in
            guard state.generation == position.generation else { return .die }
            let now = Moment.now
            var bytesPerSecond = plan.bytesPerSecond
            if let turn = plan.turn, state.record.servedBytes >= turn.afterBytes {
                switch turn.change {
                case .dies: return .die
                case .slows(let slow): bytesPerSecond = slow
                }
            }
            state.record.servedBytes += count
            state.record.connections[position.number - 1].servedBytes += count
            guard let bytesPerSecond else { return .send(from: now) }
            return .send(
                from: state.pacer.take(count, bytesPerSecond: bytesPerSecond, now: now)
            )
        }
    }

    private func accept() {
        while let descriptor = listener.accept() {
            let position = state.withLock { state in
                state.record.connections.append(OriginRecord.Connection(opened: .now))
                let number = state.record.connections.count
                state.open[number] = descriptor
                return ConnectionPosition(generation: state.generation, number: number)
            }
            do {
                try BackgroundThread.start { self.serve(descriptor, position) }
            } catch {
                leave(descriptor, position)
            }
        }
        listener.close()
    }

    private func serve(_ descriptor: Int32, _ position: ConnectionPosition) {
        OriginConnection(self, descriptor, position).run()
        leave(descriptor, position)
    }

    private func leave(_ descriptor: Int32, _ position: ConnectionPosition) {
        state.withLock { state in
            guard state.generation == position.generation else { return }
            state.open[position.number] = nil
            state.record.connections[position.number - 1].closed = .now
        }
        close(descriptor)
    }
}
