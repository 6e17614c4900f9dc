internal import NIOCore
internal import Synchronization

/// The connections of the TCP listener, of which strangers are closed where there are too many.
final class ConnectionRegister: Sendable {
    private struct State {
        var seats: ConnectionSeats
        var numbers: [ObjectIdentifier: Int] = [:]
        var channels: [Int: any Channel] = [:]
        var last = 0
    }

    private let state: Mutex<State>

    init(_ limits: ConnectionLimits) {
        state = Mutex(State(seats: ConnectionSeats(limits)))
    }

    /// Returns whether the connection may be there; another one may be closed for it.
    func enter(_ channel: any Channel) -> Bool {
        let (isIn, leaving) = state.withLock { state -> (Bool, (any Channel)?) in
            state.last += 1
            let number = state.last
            let entry = state.seats.enter(number)
            guard entry != .full else { return (false, nil) }
            state.numbers[ObjectIdentifier(channel)] = number
            state.channels[number] = channel
            guard case .takenFrom(let other) = entry else { return (true, nil) }
            return (true, state.channels[other])
        }
        leaving?.close(promise: nil)
        return isIn
    }

    /// It has shown that it may ask; returns whether there is a seat for it.
    func recognize(_ channel: any Channel, as authority: Authority) -> Bool {
        state.withLock { state in
            guard let number = state.numbers[ObjectIdentifier(channel)] else { return true }
            return state.seats.recognize(number, as: authority)
        }
    }

    func leave(_ channel: any Channel) {
        state.withLock { state in
            guard let number = state.numbers.removeValue(forKey: ObjectIdentifier(channel)) else {
                return
            }
            state.channels[number] = nil
            state.seats.leave(number)
        }
    }
}
