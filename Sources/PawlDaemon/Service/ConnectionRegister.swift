internal import NIOCore
internal import Synchronization

/// The connections over TCP, of all listeners together; the oldest unauthenticated ones are closed
/// if there are too many.
final class ConnectionRegister: Sendable {
    private struct State {
        var slots: ConnectionSlots
        var numbers: [ObjectIdentifier: Int] = [:]
        var channels: [Int: any Channel] = [:]
        var last = 0
    }

    private let state: Mutex<State>

    init(_ limits: ConnectionLimits) {
        state = Mutex(State(slots: ConnectionSlots(limits)))
    }

    /// Adds a connection, for which another one may be closed; returns whether it may stay.
    func enter(_ channel: any Channel) -> Bool {
        let (isIn, leaving) = state.withLock { state -> (Bool, (any Channel)?) in
            state.last += 1
            let number = state.last
            let entry = state.slots.enter(number, from: channel.peerAddress)
            guard entry != .full else { return (false, nil) }
            state.numbers[ObjectIdentifier(channel)] = number
            state.channels[number] = channel
            guard case .takenFrom(let other) = entry else { return (true, nil) }
            return (true, state.channels[other])
        }
        leaving?.close(promise: nil)
        return isIn
    }

    /// Lets an unauthenticated connection stay to listen; another one that listens may be closed.
    func listen(_ channel: any Channel) {
        let leaving = state.withLock { state -> (any Channel)? in
            guard let number = state.numbers[ObjectIdentifier(channel)] else { return nil }
            return state.slots.listen(number).flatMap { state.channels[$0] }
        }
        leaving?.close(promise: nil)
    }

    /// Records that a connection is authenticated; returns whether there is a slot for it.
    func recognize(_ channel: any Channel, as authority: Authority) -> Bool {
        state.withLock { state in
            guard let number = state.numbers[ObjectIdentifier(channel)] else { return true }
            return state.slots.recognize(number, as: authority)
        }
    }

    func leave(_ channel: any Channel) {
        state.withLock { state in
            guard let number = state.numbers.removeValue(forKey: ObjectIdentifier(channel)) else {
                return
            }
            state.channels[number] = nil
            state.slots.leave(number)
        }
    }
}
