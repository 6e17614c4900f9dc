package import PawlCore
internal import Synchronization

/// Wakes the drivers of many downloads when they asked for it: one sleeping task serves all.
package final class AlarmClock: Sendable {
    package typealias Ticket = UInt64

    private struct Alarm {
        var moment = Moment.distantFuture
        var wake: @Sendable () -> Void
    }

    private struct State {
        var alarms: [Ticket: Alarm] = [:]
        var nextTicket: Ticket = 1
        var sleeper: Task<Void, Never>?
        var sleepsUntil = Moment.distantFuture
        /// Of the sleeper: one that was cancelled too late rings for nobody.
        var generation = 0
    }

    private let state = Mutex(State())
    private let time: any Timekeeper

    init(time: any Timekeeper) { self.time = time }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    /// How many wait to be woken.
    package var setCount: Int {
        state.withLock { $0.alarms.values.count { $0.moment != .distantFuture } }
    }

    /// A place for one alarm, which is not set yet.
    package func enroll(_ wake: @escaping @Sendable () -> Void) -> Ticket {
        state.withLock { state in
            defer { state.nextTicket += 1 }
            state.alarms[state.nextTicket] = Alarm(wake: wake)
            return state.nextTicket
        }
    }

    package func resign(_ ticket: Ticket) {
        state.withLock { state in
            state.alarms[ticket] = nil
            if state.alarms.isEmpty { rest(&state) }
        }
    }

    /// Wakes once at that moment or soon after; replaces what was set before.
    package func set(_ ticket: Ticket, at moment: Moment) {
        state.withLock { state in
            state.alarms[ticket]?.moment = moment
            guard moment < state.sleepsUntil else { return }
            state.sleeper?.cancel()
            sleep(until: moment, &state)
        }
    }

    private func sleep(until moment: Moment, _ state: inout State) {
        state.sleepsUntil = moment
        state.generation += 1
        let (time, generation) = (time, state.generation)
        state.sleeper = Task { [weak self] in
            // Cancelled by one that sleeps less long, or as there is nobody left to wake.
            guard (try? await time.sleep(until: moment)) != nil else { return }
            self?.ring(generation)
        }
    }

    private func rest(_ state: inout State) {
        state.sleeper?.cancel()
        state.sleeper = nil
        state.generation += 1
        state.sleepsUntil = .distantFuture
    }

    private func ring(_ generation: Int) {
        let now = time.now()
        let due = state.withLock { state -> [@Sendable () -> Void] in
            guard generation == state.generation else { return [] }
            let due = state.alarms.filter { $0.value.moment <= now }
            for ticket in due.keys { state.alarms[ticket]?.moment = .distantFuture }
            let next = state.alarms.values.map(\.moment).min() ?? .distantFuture
            if next == .distantFuture { rest(&state) } else { sleep(until: next, &state) }
            return due.values.map(\.wake)
        }
        for wake in due { wake() }
    }
}
