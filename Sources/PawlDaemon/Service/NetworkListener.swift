internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// Where the daemon listens for TCP, which can be changed while it runs.
final class NetworkListener: Sendable {
    private struct State {
        var door: NetworkDoor?
        /// That of the door which is being served.
        var served: RequestGate?
        /// Why it does not listen where the settings say.
        var problem: String?
    }

    private let places: DaemonPlaces
    private let limits: ConnectionLimits
    private let state = Mutex(State())
    private let changed = Bell()

    init(_ places: DaemonPlaces, _ limits: ConnectionLimits) {
        (self.places, self.limits) = (places, limits)
    }

    /// The one that is served; nil where there is none.
    var door: NetworkDoor? { state.withLock { $0.door } }

    var problem: String? { state.withLock { $0.problem } }

    /// Opens a door that nobody is served at before it is adopted.
    ///
    /// No address is no door; one that is open already stays. Throws `.alreadyRunning` where somebody else
    /// listens there.
    func open(_ address: ListenAddress?) throws(DownloadError) -> Prepared {
        if let address, let door, door.address == address {
            return Prepared(door: door, isNew: false)
        }
        var door = try NetworkDoor(address, places)
        door?.limits = limits.within(openFiles: OpenFileLimit.raise())
        return Prepared(door: door, isNew: door != nil)
    }

    /// A door that is open, and takes the place of the one before once it is adopted.
    struct Prepared: Sendable {
        fileprivate var door: NetworkDoor?
        fileprivate var isNew: Bool

        /// Where what it was opened for has failed.
        func close() {
            if isNew { door?.close() }
        }
    }

    func adopt(_ prepared: Prepared) {
        let unserved = state.withLock { state -> NetworkDoor? in
            let old = state.door
            (state.door, state.problem) = (prepared.door, nil)
            guard let old, old.gate !== state.served, old.gate !== prepared.door?.gate else {
                return nil
            }
            return old
        }
        // One that is served is closed by who serves it.
        unserved?.close()
        changed.ring()
    }

    /// The settings name an address that cannot be listened at: downloads go on all the same.
    func failed(_ error: DownloadError) {
        state.withLock { $0.problem = error.message }
    }

    /// Serves at what is open, until the task is cancelled.
    func run(_ serve: @Sendable @escaping (NetworkDoor) async throws -> Void) async {
        while !Task.isCancelled {
            let next = state.withLock { state in
                state.served = state.door?.gate
                return state.door
            }
            guard let door = next else {
                await changed.wait()
                continue
            }
            await withTaskGroup { group in
                group.addTask {
                    do {
                        try await serve(door)
                    } catch {
                        guard !Task.isCancelled else { return }
                        self.failed(DownloadError(.unknown, "it failed: \(error)"))
                    }
                }
                group.addTask { await self.untilAnother(than: door) }
                await group.next()
                group.cancelAll()
            }
            // One that ended by itself is not served again.
            if !Task.isCancelled {
                state.withLock { if $0.door?.gate === door.gate { $0.door = nil } }
            }
        }
    }

    private func untilAnother(than door: NetworkDoor) async {
        while !Task.isCancelled, self.door?.gate === door.gate { await changed.wait() }
    }
}
