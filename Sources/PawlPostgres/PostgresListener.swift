internal import PawlCore
internal import Synchronization

/// Receives what other sessions send with `NOTIFY`, on a connection of its own.
///
/// When the connection breaks, the listener makes a new one. Notifications in between are lost, so
/// the receiver checks the database itself after each ``Event/listening``.
package final class PostgresListener: Sendable {
    package enum Event: Sendable {
        /// From now on, nothing is missed.
        case listening
        case notified(PostgresNotification)
        /// The connection broke or could not be made; it is made again after a while.
        case interrupted(PostgresError)
        /// The last event: the system has no thread left for a connection.
        case stopped(PostgresError)
    }

    private struct State: Sendable {
        var connection: PostgresConnection?
        var reconnection = ReconnectionPolicy()
        /// The number of connections that were begun.
        var count = 0
        var isClosed = false
    }

    private let address: PostgresAddress
    private let settings: PostgresSettings
    private let report: @Sendable (Event) -> Void
    private let clock = SystemTimekeeper()
    private let state = Mutex(State())

    /// Starts to listen.
    ///
    /// `report` is called on the connection's thread, and must not wait. If the system has no thread
    /// left, it is called with ``Event/stopped(_:)`` before this returns.
    package init(
        _ address: PostgresAddress,
        channels: [String],
        _ settings: PostgresSettings = PostgresSettings(),
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.address = address
        var settings = settings
        settings.preparation += channels.map { "LISTEN " + PostgresValue.identifier($0) }
        self.settings = settings
        self.report = report
        connect()
    }

    deinit { close() }

    /// Stops listening.
    package func close() {
        let connection = state.withLock { state in
            state.isClosed = true
            return state.connection
        }
        connection?.close()
    }

    private func connect() {
        let (number, delay) = state.withLock { state in
            state.count += 1
            return (state.count, state.reconnection.nextDelay())
        }
        var settings = settings
        settings.delay = delay
        let connection = PostgresConnection(address, settings) { [weak self] event in
            self?.note(event)
        }
        // Its events would come on its thread.
        if !connection.hasThread, let error = connection.end { return report(.stopped(error)) }
        let isCurrent = state.withLock { state in
            // It may have ended already, and the next one have begun.
            guard !state.isClosed, state.count == number else { return false }
            state.connection = connection
            return true
        }
        if !isCurrent { connection.close() }
    }

    private func note(_ event: PostgresConnectionEvent) {
        switch event {
        case .connected:
            state.withLock { $0.reconnection.connected(at: clock.now()) }
            report(.listening)
        case .notified(let notification):
            report(.notified(notification))
        case .ended(let error):
            let isClosed = state.withLock { state in
                state.reconnection.ended(at: clock.now())
                return state.isClosed
            }
            guard !isClosed else { return }
            report(.interrupted(error))
            connect()
        }
    }
}
