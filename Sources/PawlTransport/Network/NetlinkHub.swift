#if os(Linux)
internal import CPlatform
internal import Glibc
internal import PawlCore
internal import Synchronization

/// What is known of the network, its observers, and what wakes the thread that watches it.
final class NetlinkHub: Sendable {
    private struct Observer {
        var asksWhetherMetered: Bool
        var told: NetworkPath?
        var changed: @Sendable (NetworkPath) -> Void
    }

    private struct State {
        var observers: [UInt64: Observer] = [:]
        var nextID: UInt64 = 1
        var routes: NetworkPath?
        /// `nil` until it was read; afterwards whether the network is metered, or `nil` if that is
        /// not known.
        var metered: Bool??
        var isClosed = false

        /// Everything that is known.
        var path: NetworkPath? {
            var path = routes
            path?.isMetered = metered.flatMap { $0 }
            return path
        }
    }

    private let state = Mutex(State())
    /// Held while the kernel is asked, so that observers receive results in the order of the
    /// queries.
    ///
    /// Contains the time when the last query began.
    private let queriedAt = Mutex(Moment.zero)
    private let clock = SystemTimekeeper()
    /// A pipe, because poll(2) can wait only for descriptors.
    let wakeEnds: (reader: Int32, writer: Int32)

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeEnds = (ends[0], ends[1])
    }

    deinit {
        Glibc.close(wakeEnds.reader)
        Glibc.close(wakeEnds.writer)
    }

    // MARK: - For observers

    func enroll(
        asksWhetherMetered: Bool,
        _ changed: @escaping @Sendable (NetworkPath) -> Void
    ) -> UInt64 {
        let id = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.observers[id] = Observer(
                asksWhetherMetered: asksWhetherMetered,
                changed: changed
            )
            Self.notify(&state)
            return id
        }
        wake()
        return id
    }

    func resign(_ id: UInt64) { state.withLock { $0.observers[id] = nil } }

    /// Asks the kernel, unless another thread starts to do so meanwhile.
    func current() -> NetworkPath {
        let called = clock.now()
        return queriedAt.withLock { begun in
            let known = state.withLock { $0.path }
            if begun > called, let known { return known }
            begun = clock.now()
            // No caller is kept waiting for something that cannot be found out.
            let routes = RouteSnapshot.current()?.path ?? .unknown
            return state.withLock { state in
                state.routes = routes
                Self.notify(&state)
                return state.path ?? routes
            }
        }
    }

    // MARK: - For the thread

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether an observer wants to know if the network is metered.
    var asksWhetherMetered: Bool {
        state.withLock { $0.observers.values.contains(where: \.asksWhetherMetered) }
    }

    var routes: NetworkPath? { state.withLock { $0.routes } }

    func learned(isMetered: Bool?) {
        state.withLock { state in
            state.metered = .some(isMetered)
            Self.notify(&state)
        }
    }

    /// Forgets whether the network is metered: no observer asked for a while, so it may have
    /// changed.
    func forgetMetered() { state.withLock { $0.metered = .none } }

    /// Stops reporting to observers and lets the thread end.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.observers = [:]
        }
        wake()
    }

    func wake() {
        var byte: UInt8 = 0
        // A full pipe wakes the thread, too.
        _ = write(wakeEnds.writer, &byte, 1)
    }

    func takeWakes() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wakeEnds.reader, &bytes, bytes.count) > 0 {}
    }

    /// Reports to the observers.
    ///
    /// Called under the lock, so that reports are in order and no observer is called after it has
    /// ended its observation.
    private static func notify(_ state: inout State) {
        guard let routes = state.routes else { return }
        for (id, observer) in state.observers {
            var path = routes
            if observer.asksWhetherMetered {
                guard let metered = state.metered else { continue }
                path.isMetered = metered
            }
            guard path != observer.told else { continue }
            state.observers[id]?.told = path
            observer.changed(path)
        }
    }
}
#endif
