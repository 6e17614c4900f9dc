internal import HeapModule
package import PawlCore
internal import Synchronization

/// Wakes drivers and readers of progress at the times that they have set.
///
/// One sleeping task serves all.
package final class AlarmClock: Sendable {
    package typealias Ticket = UInt64

    private struct Alarm {
        var moment = Moment.distantFuture
        var wake: @Sendable () -> Void
    }

    private struct Entry: Comparable {
        var moment: Moment
        var ticket: Ticket

        static func < (left: Entry, right: Entry) -> Bool { left.moment < right.moment }
    }

    private struct State {
        var alarms: [Ticket: Alarm] = [:]
        /// The alarms by time, including outdated entries of alarms that were set again.
        var pending = Heap<Entry>()
        var nextTicket: Ticket = 1
        var sleeper: Task<Void, Never>?
        var sleepsUntil = Moment.distantFuture
        /// The number of the current sleeper.
        ///
        /// A sleeper that was cancelled too late wakes nobody.
        var generation = 0

        /// Returns the earliest alarm, and removes earlier entries of alarms that were set again.
        mutating func first() -> Entry? {
            while let entry = pending.min {
                if alarms[entry.ticket]?.moment == entry.moment { return entry }
                pending.removeMin()
            }
            return nil
        }

        /// Removes the alarms that are due.
        ///
        /// Returns their callbacks.
        mutating func takeDue(_ now: Moment) -> [@Sendable () -> Void] {
            var due: [@Sendable () -> Void] = []
            while let entry = first(), entry.moment <= now {
                pending.removeMin()
                if let wake = alarms[entry.ticket]?.wake { due.append(wake) }
                alarms[entry.ticket]?.moment = .distantFuture
            }
            return due
        }

        mutating func set(_ ticket: Ticket, at moment: Moment) {
            guard alarms[ticket] != nil, alarms[ticket]?.moment != moment else { return }
            alarms[ticket]?.moment = moment
            guard moment != .distantFuture else { return }
            pending.insert(Entry(moment: moment, ticket: ticket))
            // Entries of alarms that were set again must not accumulate.
            guard pending.count > 4 * alarms.count + 64 else { return }
            pending = Heap(
                alarms.lazy.filter { $0.value.moment != .distantFuture }
                    .map { Entry(moment: $0.value.moment, ticket: $0.key) }
            )
        }
    }

    private let state = Mutex(State())
    private let time: any Timekeeper

    package init(time: any Timekeeper) { self.time = time }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    /// The number of alarms that are set.
    package var setCount: Int {
        state.withLock { $0.alarms.values.count { $0.moment != .distantFuture } }
    }

    /// Registers a callback for one alarm, which is not set yet.
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

    /// Sets an alarm, replacing its earlier time.
    ///
    /// It rings once, at that moment or soon after.
    package func set(_ ticket: Ticket, at moment: Moment) {
        state.withLock { state in
            state.set(ticket, at: moment)
            guard moment < state.sleepsUntil else { return }
            state.sleeper?.cancel()
            sleep(until: moment, &state)
        }
    }

    private func sleep(until moment: Moment, _ state: inout State) {
        state.sleepsUntil = moment
        state.generation += 1
        let (time, generation) = (time, state.generation)
        // The sleeper serves all, so it inherits neither the priority nor the task-local values of
        // the caller.
        state.sleeper = Task.detached(priority: .medium) { [weak self] in
            // It is cancelled when one that sleeps less replaces it, or when nobody is left to
            // wake.
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
            let due = state.takeDue(now)
            if let next = state.first() {
                sleep(until: next.moment, &state)
            } else {
                rest(&state)
            }
            return due
        }
        for wake in due { wake() }
    }
}
