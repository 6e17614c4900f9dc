internal import CBench
internal import Glibc
internal import Synchronization

/// A range server for what nginx cannot do: a different pace per connection, dying, slowing down,
/// and recording when a request arrived.
///
/// nginx's `limit_rate` is not suitable for a steady pace either: each request may send a second's
/// worth of bytes at once.
final class Origin: Sendable {
    let plan: OriginPlan
    let file: Int32
    let fileBytes: Int
    private let listener: Listener
    private let state = Mutex(State())

    private struct State {
        var record = OriginRecord()
        /// The generation; connections of an earlier one no longer count.
        var generation = 0
        /// The open connections by number.
        var open: [Int: Int32] = [:]
        var pacer = Pacer()
        var isMute = false
    }

    /// The place of a connection in the record.
    struct Place: Sendable {
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

    /// Records requests from now on without answering them.
    func mute() { state.withLock { $0.isMute = true } }

    func stop() {
        listener.stop()
        reset()
    }

    // MARK: For its connections

    /// Records a request.
    ///
    /// Returns `false` if it must not be answered.
    func note(_ head: RequestHead, arrived: Moment, at place: Place) -> Bool {
        let request = OriginRecord.Request(arrived: arrived, firstByte: head.range?.first)
        return state.withLock { state in
            guard state.generation == place.generation else { return false }
            state.record.requests.append(request)
            return !state.isMute
        }
    }

    /// What a connection may do with its next bytes.
    enum Permission {
        case send(from: Moment)
        case die
    }

    /// Counts the next bytes of a connection, and returns when they may be sent.
    func permit(_ count: Int, at place: Place) -> Permission {
        state.withLock { state in
            guard state.generation == place.generation else { return .die }
            let now = Moment.now
            var bytesPerSecond = plan.bytesPerSecond
            if let turn = plan.turn, state.record.servedBytes >= turn.afterBytes {
                switch turn.change {
                case .dies: return .die
                case .slows(let slow): bytesPerSecond = slow
                }
            }
            state.record.servedBytes += count
            state.record.connections[place.number - 1].servedBytes += count
            guard let bytesPerSecond else { return .send(from: now) }
            return .send(
                from: state.pacer.take(count, bytesPerSecond: bytesPerSecond, now: now)
            )
        }
    }

    private func accept() {
        while let descriptor = listener.accept() {
            let place = state.withLock { state in
                state.record.connections.append(OriginRecord.Connection(opened: .now))
                let number = state.record.connections.count
                state.open[number] = descriptor
                return Place(generation: state.generation, number: number)
            }
            do {
                try BackgroundThread.start { self.serve(descriptor, place) }
            } catch {
                leave(descriptor, place)
            }
        }
        listener.close()
    }

    private func serve(_ descriptor: Int32, _ place: Place) {
        OriginConnection(self, descriptor, place).run()
        leave(descriptor, place)
    }

    private func leave(_ descriptor: Int32, _ place: Place) {
        state.withLock { state in
            guard state.generation == place.generation else { return }
            state.open[place.number] = nil
            state.record.connections[place.number - 1].closed = .now
        }
        close(descriptor)
    }
}
